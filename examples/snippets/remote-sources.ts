import { readFile } from 'node:fs/promises';
import type { SkillProvider } from 'skillwire/server';
import {
  type ArchiveSource,
  archiveSource,
  fetchArchive,
  fetchGitHubArchive,
  type GitHubArchive,
  openArchive,
  openArchivesDir,
  openSource,
  type Source,
} from 'skillwire/source';
import { openStore } from 'skillwire/store';

/** Whatever a user typed. */
export async function typed(text: string): Promise<Source> {
  const store = openStore();
  // #region typed
  const source = await openSource(text, {
    store, // temporary files, and responses to ask for again
    token: process.env.GITHUB_TOKEN ?? '',
    allowPrivate: true, // the host in the text, and none that it redirects to
    onProgress: ({ step, label, bytes, total }) => console.error(step, label, bytes, total),
  });
  // #endregion typed
  return source;
}

/** An archive in memory, of which every entry was judged. */
export async function inMemory(path: string): Promise<ArchiveSource> {
  // #region archive
  const source = archiveSource(await readFile(path), { format: 'zip', maxBytes: 20_000_000 });
  for (const { name } of source.list('').nodes) console.log(name);
  // #endregion archive
  return source;
}

/** Archives on this machine. */
export async function onDisk(): Promise<Source[]> {
  // #region disk
  const one = await openArchive('pdf.tar.gz'); // pdf/SKILL.md
  const many = await openArchivesDir('./packs', { invalidArchives: 'skip' });
  // #endregion disk
  return [one, many];
}

/** An archive of a server that is known. */
export async function pinned(): Promise<Source> {
  const store = openStore();
  // #region fetch
  const source = await fetchArchive('https://skills.example/pack.tar.gz', {
    allowedHosts: ['skills.example', '*.cdn.example'],
    maxBytes: 5_000_000,
    digest: 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
    store,
  });
  // #endregion fetch
  return source;
}

/** The newest version of what was fetched; true when there was one. */
export async function newest(source: Source, provider: SkillProvider, signal: AbortSignal): Promise<boolean> {
  // #region revalidate
  const changed = await source.revalidate?.({ signal });
  if (changed === true) await provider.refresh();
  // #endregion revalidate
  return changed === true;
}

/** A folder of a repository. */
export async function repository(): Promise<GitHubArchive> {
  // #region github
  const source = await fetchGitHubArchive({
    owner: 'acme',
    repo: 'skills',
    ref: 'release/2',
    subdir: 'packs',
  });
  console.log(source.commit);
  // #endregion github
  return source;
}
