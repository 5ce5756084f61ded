/**
 * What `serve` was told, as the command that a client starts or the address that it asks.
 *
 * @module
 */
import { resolve } from 'node:path';
import { CLIENT_IDS, type ClientId, type Connection, clientConfig, clientIdOf } from './client-config.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { CliContext } from './context.ts';
import type { ListenAddress } from './listen-address.ts';
import { absoluteSource } from './source-argument.ts';
import { usageError } from './usage.ts';

/** The command that serves the same skills over stdio from any folder: every path in it is absolute. */
export function stdioCommand(
  sources: readonly string[],
  flags: ServeFlags,
  context: CliContext,
): { command: string; args: string[] } {
  const { cwd, program } = context;
  const valued: readonly (readonly [string, string | number | undefined])[] = [
    ['--prefix', flags.prefix],
    ['--symlinks', flags.symlinks],
    ['--nested', flags.nested],
    ['--name-mismatch', flags.nameMismatch],
    ...(flags.linkRoot ?? []).map((folder) => ['--link-root', resolve(cwd, folder)] as const),
    ...(flags.allowSecret ?? []).map((pattern) => ['--allow-secret', pattern] as const),
    ...(flags.prompts ?? []).map((folder) => ['--prompts', resolve(cwd, folder)] as const),
    ['--docs', flags.docs === undefined ? undefined : resolve(cwd, flags.docs)],
    ['--dialects', flags.dialects],
    ['--archive', flags.archive],
    ...(flags.expose ?? []).map((list) => ['--expose', list] as const),
    ['--expose-to', flags.exposeTo],
    ['--instructions', flags.instructions],
    ['--page-size', flags.pageSize],
    ['--ttl', flags.ttl],
  ];
  const args = [
    ...program.args,
    'serve',
    ...sources.map((text) => absoluteSource(text, cwd)),
    ...(flags.strict === true ? ['--strict'] : []),
    ...(flags.listDocs === true ? ['--list-docs'] : []),
    ...(flags.watch ? [] : ['--no-watch']),
    ...(flags.poll === true ? ['--poll'] : []),
    ...(flags.cache ? [] : ['--no-cache']),
    // One word each: a value may begin with a hyphen.
    ...valued.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`])),
  ];
  return { command: program.command, args };
}

/** The address that clients on this machine use for a server bound to `host`, or the first allowed name. */
export function clientUrl({ host, port }: ListenAddress, allowedHosts: readonly string[] = []): string {
  const wildcard = host === '0.0.0.0' || host === '::';
  const name = wildcard ? (allowedHosts[0] ?? '127.0.0.1') : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/mcp`;
}

/** The client that `--print-config` names; undefined: all of them. Errors: `USAGE`. */
export function clientOf(value: string | true): ClientId | undefined {
  if (value === true) return undefined;
  const id = clientIdOf(value);
  if (id !== undefined) return id;
  throw usageError(
    `--print-config knows no client ${JSON.stringify(value)}`,
    `one of ${CLIENT_IDS.join(', ')}, after the sources: skillwire serve ./skills --print-config cursor`,
  );
}

/** Prints the configuration of one client to stdout as it belongs into its file, or of all with a heading each. */
export function printConfig(client: ClientId | undefined, connection: Connection, context: CliContext): void {
  const { output } = context;
  for (const id of client === undefined ? CLIENT_IDS : [client]) {
    const { title, files, text, note } = clientConfig(id, connection);
    const heading = `${title}: ${files.join(', or ')}`;
    if (client === undefined) {
      output.line(`# ${heading}${note === undefined ? '' : `\n# ${note}`}\n${text}\n`);
    } else {
      output.line(text);
      output.note(`for ${heading}${note === undefined ? '' : `\n${note}`}`);
    }
  }
}
