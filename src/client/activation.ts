/**
 * The moment in which a host puts a skill into the context of its model (seed `Activate`).
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { parseSkillUri } from '../uri/parse.ts';

/** What happened (seed `ActivationEvent`). */
export interface ActivationEvent {
  /** As the host gave it. */
  readonly uri: string;
  readonly reason?: string;
  readonly timestamp: Date;
}

/** Options of an activation (seed `ActivateOption`). */
export interface ActivateOptions {
  /** A few words, for people who read traces. @default none */
  readonly reason?: string | undefined;
}

/** Where an activation is told. */
export interface ActivationSinks {
  readonly telemetry: Telemetry;
  readonly onActivate: ((event: ActivationEvent) => void) | undefined;
  readonly logger: Logger;
}

/**
 * Tells an activation as a span that ends at once and then to the hook, both with one timestamp, and returns it. Nothing
 * is sent, the URI is not judged, and it never throws: a hook that does is named in the log.
 *
 * @example
 * tellActivation('skill://pdf/SKILL.md', { reason: 'user_requested' }, sinks)
 */
export function tellActivation(
  uri: string,
  { reason }: ActivateOptions,
  { telemetry, onActivate, logger }: ActivationSinks,
): ActivationEvent {
  const timestamp = new Date();
  const event: ActivationEvent = { uri, ...(reason ? { reason } : {}), timestamp };
  const path = skillPathOf(uri);
  telemetry.span(
    'skills.activate',
    {
      'mcp.skill.uri': String(uri),
      ...(path === undefined ? {} : { 'mcp.skill.path': path }),
      ...(reason ? { 'mcp.skill.activation.reason': reason } : {}),
    },
    () => undefined,
    timestamp.getTime(),
  );
  try {
    onActivate?.(event);
  } catch (error) {
    logger.error('the activation hook failed', {
      uri,
      error: error instanceof Error ? error.message : 'no error',
    });
  }
  return event;
}

/** The path of a skill, for the URI of a `SKILL.md`. */
export function skillPathOf(uri: string): string | undefined {
  try {
    const { isManifest, skillPath } = parseSkillUri(uri, { anyScheme: true, nested: true });
    return isManifest ? skillPath.join('/') : undefined;
  } catch {
    // Hosts may report identifiers of their own.
    return undefined;
  }
}
