/**
 * What a provider serves, put together from its options: the place where a dialect is added.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import { systemClock } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { ArchiveShelf } from './archives.ts';
import type { ServedDialect } from './dialects.ts';
import { draftDialect } from './draft-dialect.ts';
import { toProtocolError } from './errors.ts';
import { exposureOf } from './exposure.ts';
import { fastmcpDialect } from './fastmcp-dialect.ts';
import type { ServedParts } from './handlers.ts';
import { type IndexParts, LiveIndexer } from './indexer.ts';
import { Look } from './look.ts';
import type { ProviderOptions } from './provider.ts';
import { metaPrefixOf } from './provider-context.ts';
import type { Declared } from './register.ts';
import { SkillPacker } from './skill-packer.ts';
import { filePrompts } from './surfaces/prompt-list.ts';
import { skillPrompts } from './surfaces/skill-prompts.ts';
import { syntheticSet } from './synthetic-set.ts';
import { createWellKnown, type WellKnown } from './well-known.ts';

/** What {@link indexPartsOf} needs of the provider. */
export interface IndexPartsOptions {
  readonly catalog: Catalog;
  readonly dialects: ReadonlySet<ServedDialect>;
  /** Whether a watcher looks at the source. */
  readonly follows: boolean;
  readonly version: () => number;
  /** Resolves when every change that was reported has been scanned. */
  readonly settled: () => Promise<void>;
}

/** What the capabilities say of the methods of the extension. */
export function declaredOf(
  dialects: ReadonlySet<ServedDialect>,
  { directoryRead }: ProviderOptions,
): Pick<Declared, 'released' | 'directoryRead'> {
  const released = dialects.has('released');
  return { released, directoryRead: released && directoryRead !== false };
}

/**
 * What an index of the skills is made from.
 *
 * @example
 * new LiveIndexer(indexPartsOf({ catalog, dialects, follows, version, settled }, options), { ttlMs: 0 })
 */
export function indexPartsOf(
  { catalog, dialects, follows, version, settled }: IndexPartsOptions,
  options: ProviderOptions,
): IndexParts {
  const {
    archive,
    archiveMaxBytes,
    supportingDigests = 'per-file',
    clock = systemClock,
    logger = silentLogger,
  } = options;
  // Without a dialect there are no skills at all.
  const servesFiles =
    dialects.size > 0 && (archive === undefined || dialects.has('released') || dialects.has('fastmcp'));
  const look = new Look(clock);
  return {
    catalog,
    version,
    settle: async () => {
      // Without a watcher nobody else looks.
      if (follows || look.isCostly()) await settled();
      else await look.during(catalog.refresh());
    },
    follows,
    supportingDigests,
    shelf:
      archive === undefined
        ? undefined
        : new ArchiveShelf({
            catalog,
            packer: new SkillPacker({ catalog, format: archive, maxBytes: archiveMaxBytes }),
            servesFiles,
            logger,
          }),
    servesFiles,
    clock,
  };
}

/**
 * What an HTTP server serves beside MCP; undefined without the dialect. Its archives are those of archive mode where
 * that packs the same format.
 *
 * @example
 * await wellKnownOf(indexParts, dialects, options)?.index()
 */
export function wellKnownOf(
  { catalog, settle, shelf }: IndexParts,
  dialects: ReadonlySet<ServedDialect>,
  { archiveMaxBytes: maxBytes, ttlMs = LIMITS.ttlMs, logger = silentLogger }: ProviderOptions,
): WellKnown | undefined {
  if (!dialects.has('well-known')) return undefined;
  const packer =
    shelf?.packer.format === 'tar.gz'
      ? shelf.packer
      : new SkillPacker({ catalog, format: 'tar.gz', maxBytes });
  return createWellKnown({ catalog, packer, settle, ttlMs, logger });
}

/**
 * What the handlers serve.
 *
 * @example
 * createHandlers(servedPartsOf(indexParts, dialects, options))
 */
export function servedPartsOf(
  indexParts: IndexParts,
  dialects: ReadonlySet<ServedDialect>,
  options: ProviderOptions,
): ServedParts {
  const { index, indexCacheTtlMs = 0, prompts, docs, supportingFiles = 'template' } = options;
  const { logger = silentLogger } = options;
  const exposure = exposureOf(options);
  return {
    catalog: indexParts.catalog,
    ...declaredOf(dialects, options),
    prompts,
    docs,
    promptSets: [
      ...(prompts === undefined ? [] : [filePrompts(prompts)]),
      ...(exposure.prompts ? [skillPrompts(indexParts.catalog)] : []),
    ],
    ...(exposure.tools && { tools: toolWords(logger) }),
    files: indexParts.servesFiles,
    fastmcp: dialects.has('fastmcp'),
    supportingFiles,
    synthetic: syntheticSet([
      draftDialect({
        indexer:
          dialects.has('draft-index') && index !== false
            ? new LiveIndexer(indexParts, { ttlMs: indexCacheTtlMs })
            : undefined,
        shelf: indexParts.shelf,
        metaPrefix: metaPrefixOf(options),
      }),
      ...(dialects.has('fastmcp') ? [fastmcpDialect(indexParts.catalog)] : []),
    ]),
  };
}

/** What a tool says of an error: what the protocol would say of it, so that nothing of this machine is in it. */
function toolWords(logger: Logger): NonNullable<ServedParts['tools']> {
  return {
    wordsOf: (error, uri) =>
      toProtocolError(error, { method: 'tools/call', ...(uri !== undefined && { uri }) }, logger).message,
  };
}
