/**
 * What the public suite cannot find passing here, and why. Every line goes stale loudly: a scenario listed here that
 * passes fails the run, and so does one that is not listed and fails.
 */

/** Protocol revisions that the suite is run with. */
export const VERSIONS = ['2025-11-25', '2026-07-28'] as const;

/** The scenarios of the skills extension; none of them may warn, fail or count no check. */
export const SKILLS = [
  'sep-2640-skills-enumeration',
  'sep-2640-skills-manifest',
  'sep-2640-skills-directory',
] as const;

/** The scenarios of the skills extension for clients, each of whose checks must succeed. */
export const CLIENT_SKILLS = [
  'sep-2640-client-no-prefetch',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
] as const;

const NAMED_TOOL = 'asks for a tool of a fixed name that shows a feature of tools; Skillwire serves no tools';
const NAMED_PROMPT =
  'asks for a prompt of a fixed name that shows a feature of prompts; Skillwire serves no prompts';
const NO_TRIGGER =
  'changes a list through a tool of a fixed name; the one tool and the one prompt of the fixture never change';
const INPUT_REQUIRED =
  'asks for a tool of a fixed name that needs input from the user; reading a skill never does';

/** Base scenarios that cannot apply to a server of resources, by name, with the reason. */
export const CANNOT_APPLY: Readonly<Record<string, string>> = {
  'completion-complete':
    'completes an argument of the prompt test_prompt_with_arguments; Skillwire completes paths of skills',
  'elicitation-sep1034-defaults': NAMED_TOOL,
  'elicitation-sep1330-enums': NAMED_TOOL,
  'http-custom-header-server-validation':
    'asks for a tool whose schema maps parameters to headers; Skillwire serves no tools',
  'input-required-result-basic-elicitation': INPUT_REQUIRED,
  'input-required-result-basic-list-roots': INPUT_REQUIRED,
  'input-required-result-basic-sampling': INPUT_REQUIRED,
  'input-required-result-capability-check': INPUT_REQUIRED,
  'input-required-result-multi-round': INPUT_REQUIRED,
  'input-required-result-multiple-input-requests': INPUT_REQUIRED,
  'input-required-result-non-tool-request': INPUT_REQUIRED,
  'input-required-result-request-state': INPUT_REQUIRED,
  'input-required-result-result-type': INPUT_REQUIRED,
  'input-required-result-tampered-state': INPUT_REQUIRED,
  'json-schema-2020-12': NAMED_TOOL,
  'logging-set-level': 'asks for the logging capability; Skillwire logs to its operator and not to clients',
  'prompts-get-embedded-resource': NAMED_PROMPT,
  'prompts-get-simple': NAMED_PROMPT,
  'prompts-get-with-args': NAMED_PROMPT,
  'prompts-get-with-image': NAMED_PROMPT,
  'server-sse-polling': NAMED_TOOL,
  'tools-call-audio': NAMED_TOOL,
  'tools-call-elicitation': NAMED_TOOL,
  'tools-call-embedded-resource': NAMED_TOOL,
  'tools-call-error': NAMED_TOOL,
  'tools-call-image': NAMED_TOOL,
  'tools-call-mixed-content': NAMED_TOOL,
  'tools-call-sampling': NAMED_TOOL,
  'tools-call-simple-text': NAMED_TOOL,
  'tools-call-with-logging': NAMED_TOOL,
  'tools-call-with-progress': NAMED_TOOL,
};

/** Base scenarios that need no fixture: `skillwire serve` itself must meet them. */
export const PLAIN: readonly string[] = [
  'server-initialize',
  'server-session-lifecycle',
  'ping',
  'resources-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
];

/** Single checks that cannot apply, as `scenario check`, in scenarios whose other checks must pass. */
export const CHECKS_CANNOT_APPLY: Readonly<Record<string, string>> = {
  'server-stateless sep-2575-server-rejects-undeclared-capability': NAMED_TOOL,
  'server-stateless sep-2575-missing-capability-http-400': NAMED_TOOL,
  'server-stateless sep-2575-http-server-no-independent-requests-on-stream': NAMED_TOOL,
  'server-stateless sep-2575-server-no-log-without-loglevel': NAMED_TOOL,
};

/** Checks that may warn, as `scenario check`, with the reason. */
export const MAY_WARN: Readonly<Record<string, string>> = {
  'input-required-result-ignore-extra-params sep-2322-ignore-unexpected-params': INPUT_REQUIRED,
  'input-required-result-missing-input-response sep-2322-missing-response-rerequests': INPUT_REQUIRED,
  'server-stateless sep-2575-server-sends-prompts-list-changed-on-subscription': NO_TRIGGER,
  'server-stateless sep-2575-server-sends-tools-list-changed-on-subscription': NO_TRIGGER,
};
