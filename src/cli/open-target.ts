/**
 * A target made ready to be read.
 *
 * @module
 */
import { relative, resolve, sep } from 'node:path';
import { isSkillError } from '../errors.ts';
import type { Connected } from './connected.ts';
import type { CliContext } from './context.ts';
import { credentialsOf, type Headers, requireHeaders } from './credentials.ts';
import { printable } from './printable.ts';
import { queryMark } from './query-mark.ts';
import type { OpenedTarget } from './skill-reader.ts';
import { isAddress } from './source-argument.ts';
import { commandTarget, parseTarget, type Target } from './target.ts';
import type { TargetFlags } from './target-flags.ts';

/** What the words of a command line come to: `--` and a command, or the first word. */
export interface TargetWords {
  readonly text?: string;
  readonly command?: readonly string[];
}

/** The target that was written. Errors: `USAGE`. */
export function targetOf({ text, command }: TargetWords, flags: TargetFlags, cwd: string): Target {
  return command === undefined ? parseTarget(text ?? '', flags.as, cwd) : commandTarget(command);
}

/** More about how a target is opened. */
export interface OpenTargetOptions {
  /** Sent to the server; absent: what the flags and `SKILLWIRE_TOKEN` say. */
  readonly headers?: Headers;
  /** Take skills whose content nothing can check. @default false */
  readonly dynamic?: boolean;
  /** Ends the connecting. */
  readonly signal?: AbortSignal;
}

/**
 * Resolves to what `work` made of a target, which is closed in the end. When it fails, what a command that was started said on
 * stderr is shown.
 *
 * Errors: those of opening, `SERVER_UNREACHABLE` among them, and those of `work`.
 */
export async function withTarget<T>(
  target: Target,
  flags: TargetFlags,
  context: CliContext,
  work: (opened: OpenedTarget) => Promise<T>,
  options: OpenTargetOptions = {},
): Promise<T> {
  const { output } = context;
  if (flags.plain === true || flags.dialect === 'plain') {
    output.note(
      output.errorStyle.yellow(
        '--plain: where no dialect is spoken, bare skill:// resources are taken for skills, and nothing of them can be verified',
      ),
    );
  }
  output.status(`connecting to ${printable(target.label)}`);
  let connected: Connected | undefined;
  try {
    connected = await connect(target, flags, context, options);
    output.status('');
    for (const note of connected.notes) output.note(printable(note));
    return await work({
      ...connected,
      label: target.label,
      origin: (folder) => originOf(target, folder, context),
    });
  } catch (error) {
    output.status('');
    const said = connected?.said() ?? saidOf(error);
    if (isSkillError(error) && error.exitCode === 3 && said.length > 0) {
      for (const line of said) output.note(output.errorStyle.dim(`  server: ${printable(line)}`));
    }
    throw error;
  } finally {
    output.status('');
    await connected?.close();
  }
}

async function connect(
  target: Target,
  flags: TargetFlags,
  context: CliContext,
  options: OpenTargetOptions,
): Promise<Connected> {
  const settings = {
    ...(flags.dialect === undefined ? {} : { dialect: flags.dialect }),
    ...(flags.plain === true || flags.dialect === 'plain' ? { plain: true } : {}),
    ...(flags.timeout === undefined ? {} : { requestTimeoutMs: flags.timeout }),
    ...(options.dynamic === true ? { dynamic: true } : {}),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    origin: target.label,
    // Commands read each file once.
    cacheBytes: false as const,
  };
  if (target.kind === 'http') {
    const { connectHttp } = await import('./connect-http.ts');
    return connectHttp(target, options.headers ?? credentialsOf(flags, context), settings, context);
  }
  requireHeaders(flags);
  if (target.kind === 'stdio') {
    const { connectCommand } = await import('./connect-command.ts');
    return connectCommand(target, settings, context);
  }
  const { connectSource } = await import('./connect-source.ts');
  return connectSource(target, settings, context);
}

/** A path counts from the folder of the record, so that both can be moved, and nobody's home is written down. */
function originOf(target: Target, folder: string, { cwd }: CliContext): string {
  if (target.kind === 'http') return `${target.label}${queryMark(target.url)}`;
  if (target.kind !== 'source' || isAddress(target.text)) return target.label;
  const below = relative(resolve(cwd, folder), resolve(cwd, target.text)).split(sep).join('/');
  return below === '' ? '.' : below;
}

/** What a command said before it could be connected to. */
function saidOf(error: unknown): readonly string[] {
  const said = isSkillError(error) ? error.details.said : undefined;
  return Array.isArray(said) ? said.filter((line) => typeof line === 'string') : [];
}
