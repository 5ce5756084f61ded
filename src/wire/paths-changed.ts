/**
 * What a change notification says beyond "something changed": which paths, since when, with which digests now.
 *
 * @module
 */
import { META_KEY_PATHS_CHANGED } from './constants.ts';

/** What became of a path (seed `ChangeAction`). */
export type ChangeAction = 'modified' | 'created' | 'deleted';

/** One path that changed, as a detector reports it (seed `PathChange`). */
export interface PathChange {
  /** Below the source, `/`-separated. */
  readonly path: string;
  /** @default 'modified' */
  readonly action?: ChangeAction;
  /** When the change was seen. @default now */
  readonly timestamp?: Date;
  /** `sha256:` + 64 lower-case hex digits over the bytes after the change. @default what the catalog finds */
  readonly digest?: string;
}

/** One path that changed, as it goes over the wire (seed `PathChangeEntry`). */
export interface PathChangeEntry {
  /** One of {@link ChangeAction}, or what another server calls it; absent: modified. */
  readonly action?: string;
  /** RFC 3339. */
  readonly timestamp: string;
  /** Of the bytes after the change; never of what is gone. */
  readonly digest?: string;
}

/** What `_meta` of `notifications/resources/list_changed` carries (seed `PathsChangedPayload`). */
export interface PathsChangedPayload {
  /** By path below the source. Absent: which paths changed is not known, so everything has to be read again. */
  readonly paths?: Readonly<Record<string, PathChangeEntry>>;
  /** The provider's version when this was sent. One that a client knows already needs no new read. */
  readonly version: number;
}

/** Parameters of `notifications/resources/list_changed`. */
export interface ListChangedParams {
  readonly _meta: Readonly<Record<string, unknown>>;
  // The official types want the parameters of a notification open.
  readonly [key: string]: unknown;
}

/** The time of a path whose time is not stated, as seed 000's package decodes it. */
const NO_TIME = '0001-01-01T00:00:00Z';

/**
 * The parameters of `notifications/resources/list_changed` for a change; `paths` goes out only when it holds any.
 *
 * @example
 * encodeListChanged({ version: 3, paths: { 'pdf/SKILL.md': { action: 'modified', timestamp, digest } } })
 */
export function encodeListChanged(change: PathsChangedPayload): ListChangedParams {
  const { paths, version } = change;
  const known = paths !== undefined && Object.keys(paths).length > 0;
  return { _meta: { [META_KEY_PATHS_CHANGED]: known ? { paths, version } : { version } } };
}

/**
 * What the parameters of a `notifications/resources/list_changed` say of the change (seed
 * `DecodeListChangedNotification`), or undefined when they say nothing, or say it in another shape: then everything has
 * to be read again. Never throws.
 *
 * An action that is missing stays missing, an unknown one is kept; a missing time is the year 1.
 *
 * @example
 * client.setNotificationHandler('notifications/resources/list_changed', ({ params }) => {
 *   for (const [path, { action }] of Object.entries(decodeListChanged(params)?.paths ?? {})) console.log(action, path)
 * })
 */
export function decodeListChanged(params: unknown): PathsChangedPayload | undefined {
  const meta = isRecord(params) ? own(params, '_meta') : undefined;
  if (!isRecord(meta) || !Object.hasOwn(meta, META_KEY_PATHS_CHANGED)) return undefined;
  const payload = meta[META_KEY_PATHS_CHANGED] ?? {};
  if (!isRecord(payload)) return undefined;
  const version = own(payload, 'version') ?? 0;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) return undefined;
  const paths = own(payload, 'paths') ?? undefined;
  if (paths === undefined) return { version };
  if (!isRecord(paths)) return undefined;
  const entries: [string, PathChangeEntry][] = [];
  for (const [path, value] of Object.entries(paths)) {
    const entry = entryOf(value ?? {});
    if (entry === undefined) return undefined;
    entries.push([path, entry]);
  }
  return { paths: Object.fromEntries(entries), version };
}

function entryOf(value: unknown): PathChangeEntry | undefined {
  if (!isRecord(value)) return undefined;
  const action = own(value, 'action') ?? '';
  const timestamp = own(value, 'timestamp') ?? NO_TIME;
  const digest = own(value, 'digest') ?? '';
  if (typeof action !== 'string' || typeof digest !== 'string') return undefined;
  if (typeof timestamp !== 'string' || !isRfc3339(timestamp)) return undefined;
  return { ...(action !== '' && { action }), timestamp, ...(digest !== '' && { digest }) };
}

const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isRfc3339(text: string): boolean {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  // `Date` moves the 30th of February into March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
