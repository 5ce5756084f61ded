/**
 * What a source says about itself.
 *
 * @module
 */
import type { ArchiveSource, FetchedArchive, GitHubArchive, Source } from '../source/index.ts';

/** What is known of a source beside its files; what does not concern it is absent. */
export interface SourceFacts {
  readonly kind: 'folder' | 'archive' | 'archives' | 'mounted';
  /** Of an archive. */
  readonly format?: ArchiveSource['format'];
  /** The folder around everything that was taken off. */
  readonly wrapper?: string;
  /** Of a downloaded archive, as it was sent. */
  readonly digest?: string;
  /** Of a repository. */
  readonly commit?: string;
}

/** The facts of a source that `openSource` opened. */
export function sourceFacts(source: Source): SourceFacts {
  if (isArchive(source)) {
    const { format, wrapper, digest, commit } = source;
    return {
      kind: 'archive',
      format,
      ...(wrapper === undefined ? {} : { wrapper }),
      ...(digest === undefined ? {} : { digest }),
      ...(commit === undefined ? {} : { commit }),
    };
  }
  // A folder that is a skill itself stands in a source below its own name.
  if (source.hostRoot !== undefined || source.hostRoots?.length === 1) return { kind: 'folder' };
  return { kind: source.hostRoots === undefined ? 'archives' : 'mounted' };
}

type AnyArchive = ArchiveSource & Partial<Pick<FetchedArchive, 'digest'> & Pick<GitHubArchive, 'commit'>>;

function isArchive(source: Source): source is AnyArchive {
  return 'format' in source;
}

/** The facts as a sentence without an end: `a tar.gz, the folder pdf-main around everything taken off`. */
export function factsText({ kind, format, wrapper, commit }: SourceFacts): string {
  if (kind === 'folder') return 'a folder';
  if (kind === 'archives') return 'a folder of archives';
  if (kind === 'mounted') return 'a source below a prefix';
  return [
    `an archive, ${format}`,
    wrapper === undefined
      ? 'no folder around everything'
      : `the folder ${wrapper} around everything taken off`,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
  ].join('; ');
}
