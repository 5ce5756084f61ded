/**
 * The work of `skillwire serve`.
 *
 * @module
 */
import type { HttpAppOptions } from '../http/index.ts';
import type { Logger } from '../logger.ts';
import { type SkillProvider, serveStdio } from '../server/index.ts';
import type { Source, WatchOptions } from '../source/index.ts';
import { CLIENT_IDS, type Connection, clientConfig } from './client-config.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { CliContext } from './context.ts';
import { type ListenAddress, parseListenAddress } from './listen-address.ts';
import { createLogger } from './log.ts';
import { openSources } from './open-sources.ts';
import { showProgress } from './progress.ts';
import { hasParts, openPromptParts, type PromptParts } from './prompt-flags.ts';
import { reloadParts } from './prompt-report.ts';
import { announce, type Served } from './serve-announce.ts';
import { clientOf, clientUrl, printConfig, stdioCommand } from './serve-config.ts';
import { openProvider, refuseSkillFlags, refuseWellKnownAlone, requireServeFlags } from './serve-provider.ts';
import { holdYoungGeneration, loadInSmallHeap } from './server-heap.ts';
import { type HeldHangUp, holdHangUp, untilStopped } from './signals.ts';
import { sourceOptions } from './source-flags.ts';
import { findToken } from './token.ts';
import { usageError } from './usage.ts';

/** Everything that serving needs beside the provider. */
interface Setup {
  readonly sources: readonly string[];
  readonly flags: ServeFlags;
  readonly context: CliContext;
  readonly logger: Logger;
  readonly address: ListenAddress | undefined;
  readonly token: string | undefined;
  readonly hangUp: HeldHangUp;
}

/**
 * Serves `sources` as `flags` say, until stdin ends (stdio) or a signal comes.
 *
 * Errors: `USAGE`, `BIND_REFUSED`, `LISTEN_FAILED`, and those of the sources and of `createProvider`.
 */
export async function serve(
  sources: readonly string[],
  flags: ServeFlags,
  context: CliContext,
): Promise<void> {
  const { output, cwd } = context;
  const address = flags.http === undefined ? undefined : parseListenAddress(flags.http);
  const client = flags.printConfig === undefined ? undefined : { id: clientOf(flags.printConfig) };
  if (sources.length === 0) {
    if (!hasParts(flags)) {
      throw usageError(
        'serve needs a source',
        'a folder with a SKILL.md, or one that holds such: skillwire serve ./skills',
      );
    }
    refuseSkillFlags(flags);
  }
  if (address === undefined) refuseHttpFlags(flags);
  requireServeFlags(flags);
  const found = address === undefined ? undefined : findToken(flags.tokenFile, context.env, cwd);
  const logger = createLogger({
    level: flags.logLevel,
    format: flags.logFormat,
    write: (line) => output.note(line),
    secrets: [found?.token ?? '', context.env.GITHUB_TOKEN ?? ''],
  });
  if (found?.warning !== undefined) logger.warn(found.warning);
  const hangUp = holdHangUp();
  try {
    await serveOrPrint({ sources, flags, context, logger, address, token: found?.token, hangUp }, client);
  } finally {
    hangUp.take();
  }
}

async function serveOrPrint(
  setup: Setup,
  client: { readonly id: ReturnType<typeof clientOf> } | undefined,
): Promise<void> {
  const { flags, context, address } = setup;
  if (client !== undefined) {
    await (await openSource(setup))?.close();
    await (await openParts(setup, false)).close();
    if (address?.port === 0) throw usageError('port 0 is another one each time', 'name a port: --http 8750');
    printConfig(client.id, connectionOf(setup, address), context);
    return;
  }
  const httpOptions = address === undefined ? undefined : await httpOptionsOf(setup, address);
  const parts = await openParts(setup, flags.poll === true ? { poll: true } : flags.watch);
  try {
    const provider = await loadInSmallHeap(() => load(setup, parts));
    // A large change is read by a thread, as a load is.
    provider.onChange(holdYoungGeneration);
    try {
      const served = { provider, parts, skills: setup.sources.length > 0 };
      announce(served, { ...setup, transport: address === undefined ? 'stdio' : 'http' });
      if (httpOptions === undefined) await overStdio(setup, served);
      else await overHttp(setup, served, httpOptions);
    } finally {
      await provider.close();
    }
  } finally {
    await parts.close();
  }
}

function openSource({ sources, flags, context, logger }: Setup): Promise<Source | undefined> {
  if (sources.length === 0) return Promise.resolve(undefined);
  return openSources(sources, sourceOptions(flags, context.cwd), context, logger);
}

function openParts({ flags, context, logger }: Setup, watch: boolean | WatchOptions): Promise<PromptParts> {
  return openPromptParts(flags, { cwd: context.cwd, watch, logger });
}

function refuseHttpFlags(flags: ServeFlags): void {
  const given = [
    flags.tokenFile === undefined ? '' : '--token-file',
    flags.allowAnonymous === true ? '--allow-anonymous' : '',
    flags.allowedHost === undefined ? '' : '--allowed-host',
    flags.publicWellKnown === true ? '--public-well-known' : '',
  ].find((flag) => flag !== '');
  if (given !== undefined) throw usageError(`${given} is for HTTP, and this serves over stdio`, 'add --http');
  refuseWellKnownAlone(flags);
}

/** The options of the application, tried out before anything is loaded: a refused address is known at once. */
async function httpOptionsOf(
  setup: Setup,
  address: ListenAddress,
): Promise<Omit<HttpAppOptions, 'provider'>> {
  const { flags, logger, token } = setup;
  const options = {
    boundHost: address.host,
    allowedHosts: flags.allowedHost ?? [],
    allowAnonymous: flags.allowAnonymous === true,
    logger,
    ...(token === undefined ? {} : { token }),
  };
  const { createHttpApp } = await import('../http/index.ts');
  const unused = createHttpApp({ ...options, provider: () => Promise.reject(new Error('not loaded')) });
  await unused.close();
  return flags.publicWellKnown === true ? { ...options, publicWellKnown: true } : options;
}

async function load(setup: Setup, parts: PromptParts): Promise<SkillProvider> {
  const { flags, context, logger } = setup;
  const { output } = context;
  output.status('looking for skills');
  const source = await openSource(setup);
  try {
    return await openProvider(flags, { source, parts, logger, onProgress: showProgress(output) });
  } finally {
    output.status('');
  }
}

function connectionOf(setup: Setup, address: ListenAddress | undefined): Connection {
  const { sources, flags, context } = setup;
  const stdio = stdioCommand(sources, flags, context);
  if (address === undefined) return { kind: 'stdio', ...stdio };
  const url = clientUrl(address, flags.allowedHost);
  return { kind: 'http', url, token: setup.token !== undefined, stdio };
}

/** The configuration for one client in full and the names of the others, for somebody who reads along. */
function showConfig(setup: Setup, address: ListenAddress | undefined): void {
  const { output } = setup.context;
  if (setup.flags.logFormat === 'json' || setup.flags.logLevel === 'error' || setup.flags.logLevel === 'warn')
    return;
  const { title, files, text } = clientConfig('claude-code', connectionOf(setup, address));
  output.note(`client configuration (${title}, ${files[0]}):`);
  output.note(text);
  output.note(`for other clients add --print-config with one of: ${CLIENT_IDS.slice(1).join(', ')}`);
}

async function overStdio(setup: Setup, served: Served): Promise<void> {
  const { context, logger } = setup;
  showConfig(setup, undefined);
  const connection = serveStdio(served.provider, { logger });
  if (process.stdin.isTTY === true) {
    context.output.note(
      'waiting for an MCP client on stdin: clients start this command themselves. --http serves at an address instead; Ctrl-C ends it',
    );
  }
  await untilStopped({
    closed: connection.closed,
    close: () => connection.close(),
    rescan: () => rescan(served, logger),
    hangUp: setup.hangUp,
    logger,
  });
}

async function overHttp(
  setup: Setup,
  served: Served,
  options: Omit<HttpAppOptions, 'provider'>,
): Promise<void> {
  const { context, logger, flags } = setup;
  const { createHttpApp } = await import('../http/index.ts');
  const app = createHttpApp({ ...options, provider: served.provider });
  const port = setup.address?.port ?? 0;
  const bound = await app.listen({ port });
  showConfig(setup, { host: bound.host, port: bound.port });
  const line = `skillwire listening on ${bound.url}`;
  if (flags.logFormat === 'json') logger.info(line, { url: bound.url });
  else context.output.note(line);
  await untilStopped({
    close: () => app.close(),
    rescan: () => rescan(served, logger),
    hangUp: setup.hangUp,
    logger,
  });
}

async function rescan({ provider, parts, skills }: Served, logger: Logger): Promise<void> {
  await reloadParts(parts, logger);
  if (!skills) return;
  try {
    const { added, removed, changed } = await provider.refresh();
    const { refused } = provider.catalog.snapshot;
    logger.info('scanned again', {
      skills: provider.catalog.snapshot.skills.length,
      added: added.length,
      removed: removed.length,
      changed: changed.length,
      refused: refused.length,
    });
    for (const { diagnostic } of refused) {
      logger.warn(diagnostic.message, { code: diagnostic.code, path: diagnostic.path });
    }
  } catch (error) {
    logger.error('the scan failed, what was served before stays', {
      error: error instanceof Error ? error.message : 'unknown',
    });
  }
}
