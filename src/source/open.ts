/**
 * From the text of a source to the source.
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import { onlyHostOf } from '../net/host.ts';
import type { CustomFetch } from '../net/index.ts';
import type { ArchiveStore } from './archive-store.ts';
import type { DirectoryOptions } from './directory.ts';
import { fetchGitHubArchive } from './github.ts';
import { fetchArchive } from './http.ts';
import { mountSources } from './mount.ts';
import { openPath } from './open-path.ts';
import { openVendor } from './open-vendor.ts';
import type { Source } from './source.ts';
import type { OnSourceProgress } from './source-progress.ts';
import { locate, parseSourceText, printableSource } from './source-text.ts';

/** Options of {@link openSource}. */
export interface OpenOptions extends DirectoryOptions {
  /** A place on disk for downloads; see `fetchArchive`. @default none: memory, and nothing is kept */
  readonly store?: ArchiveStore;
  /** For repositories on GitHub, and sent nowhere else. @default none */
  readonly token?: string;
  /** Where `github:` repositories are. @default 'https://github.com' */
  readonly githubUrl?: string;
  /** Makes the requests instead. @default connections of our own */
  readonly fetch?: CustomFetch;
  /**
   * The host in the text, or in `githubUrl`, may have an address of this machine or of a private network. No host that it
   * redirects to may. For a text that your user typed. @default false
   */
  readonly allowPrivate?: boolean;
  /** Ends a download; what is thrown is its reason. */
  readonly signal?: AbortSignal;
  /** Hears how far downloading and unpacking are. */
  readonly onProgress?: OnSourceProgress;
  /** What `~` stands for in the folders of a vendor. @default the home folder of the user */
  readonly home?: string;
  /** Hears which commit was fetched, and what went wrong and was got round. @default nobody */
  readonly logger?: Logger;
}

/**
 * Resolves to the source that a text names, or `PREFIX=` and such a text:
 *
 * - a folder of skills, as it is; a folder with a `SKILL.md` of its own, as one skill under its own name
 * - an archive, as `openArchive`; a folder that holds archives and no `SKILL.md` anywhere, as `openArchivesDir`, where
 *   an archive that cannot be opened is reported and the others are served
 * - `https://…`, as `fetchArchive`
 * - `github:owner/repo@ref#folder`, as `fetchGitHubArchive`; `@ref` and `#folder` may be left out
 * - `vendor:name`, the folders in which that vendor's agent keeps its skills, which `VENDORS` lists: those that exist,
 *   laid over each other, an earlier folder before a later one; links may also lead into `~/.agents/skills`
 *
 * A path that exists wins over every other reading. `~` is not expanded; that is the shell's work.
 *
 * Errors: `USAGE` for a text that is none of these; `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`; those
 * of the functions named above.
 *
 * @example
 * const source = await openSource('team=github:acme/skills@v2#packs');
 */
export async function openSource(text: string, options: OpenOptions = {}): Promise<Source> {
  const { prefix, location } = parseSourceText(text, options.cwd);
  const source = await openLocation(location, options);
  return prefix === '' ? source : mountSources([{ source, prefix }], { label: printableSource(text) });
}

async function openLocation(location: string, options: OpenOptions): Promise<Source> {
  const { store, token, githubUrl, fetch, allowPrivate, signal, logger, home, ...local } = options;
  const found = locate(location, options.cwd);
  if (found.kind === 'path') return openPath(found.path, local);
  if (found.kind === 'vendor') {
    return openVendor(found.vendor, {
      ...local,
      ...(home === undefined ? {} : { home }),
      ...(logger === undefined ? {} : { logger }),
    });
  }
  const { ignore, allowSecret, onProgress } = options;
  const base = found.kind === 'url' ? found.url.href : githubUrl;
  const remote = {
    ...(ignore === undefined ? {} : { ignore }),
    ...(allowSecret === undefined ? {} : { allowSecret }),
    ...(store === undefined ? {} : { store }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(signal === undefined ? {} : { signal }),
    ...(logger === undefined ? {} : { logger }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(allowPrivate === true && base !== undefined ? { allowPrivate: onlyHostOf(base) } : {}),
  };
  if (found.kind === 'url') return fetchArchive(found.url, remote);
  return fetchGitHubArchive({
    ...remote,
    ...found.place,
    ...(token === undefined ? {} : { token }),
    ...(githubUrl === undefined ? {} : { baseUrl: githubUrl }),
  });
}
