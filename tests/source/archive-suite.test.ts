import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  archiveSource,
  fetchArchive,
  fetchGitHubArchive,
  mountSources,
  openArchive,
  openArchivesDir,
} from '../../src/source/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { type SourceSuiteOptions, type SuiteFiles, sourceSuite } from '../../src/testing/index.ts';
import { type ArchiveServer, archiveServer } from './archive-server.ts';
import { COMMIT, packTarGz, packZip } from './pack-files.ts';
import { tempFolder, tree, viewOf } from './support.ts';

let server: ArchiveServer;
beforeAll(async () => {
  server = await archiveServer();
});
afterAll(() => server.close());

/** A folder around everything, unless there is nothing that it could hold. */
const wrapping = (files: SuiteFiles): { wrapper?: string } =>
  Object.keys(files).length === 0 ? {} : { wrapper: 'skills-main' };

let number = 0;
function at(bytes: Buffer, path: string): string {
  number += 1;
  return server.put(`/${number}/${path}`, bytes);
}

function inTemp(store: Store): { store: Store; dispose: () => Promise<void> } {
  return { store, dispose: () => store.close() };
}

const suites: readonly SourceSuiteOptions[] = [
  {
    name: 'tar.gz in memory',
    create: (files, options) => ({
      source: archiveSource(packTarGz(files), { ...options, format: 'tar.gz' }),
    }),
  },
  {
    name: 'zip in memory',
    create: (files, options) => ({ source: archiveSource(packZip(files), { ...options, format: 'zip' }) }),
  },
  {
    name: 'wrapped zip in memory',
    create: (files, options) => ({
      source: archiveSource(packZip(files, wrapping(files)), {
        ...options,
        format: 'zip',
        stripWrapper: true,
      }),
    }),
  },
  {
    name: 'zip on disk',
    create: async (files, options) => ({
      source: await openArchive(join(tree({ 'a.zip': packZip(files) }), 'a.zip'), {
        ...options,
        stripWrapper: false,
      }),
    }),
  },
  {
    name: 'wrapped tar.gz on disk',
    create: async (files, options) => ({
      source: await openArchive('a.tar.gz', {
        ...options,
        cwd: tree({ 'a.tar.gz': packTarGz(files, wrapping(files)) }),
      }),
    }),
  },
  {
    name: 'archive below a prefix',
    create: (files, options) => {
      const source = archiveSource(packTarGz(files), { ...options, format: 'tar.gz' });
      return { source: viewOf(mountSources([{ source, prefix: 'p/q' }]), 'p/q') };
    },
  },
  {
    name: 'folder of archives',
    create: async (files, options) => ({
      source: await openArchivesDir(
        tree({
          'a.tar.gz': packTarGz({}),
          'b.zip': packZip(files, wrapping(files)),
          'c.txt': 'no archive',
        }),
        options,
      ),
    }),
  },
  {
    name: 'tar.gz from a server, in memory',
    create: async (files, options) => ({
      source: await fetchArchive(at(packTarGz(files, wrapping(files)), 'a.tar.gz?x=1'), {
        ...options,
        allowPrivate: true,
      }),
    }),
  },
  {
    name: 'zip from a server, on disk',
    create: async (files, options) => {
      const { store, dispose } = inTemp(openStore(tempFolder()));
      const url = at(packZip(files, wrapping(files)), 'a.zip');
      return { source: await fetchArchive(url, { ...options, allowPrivate: true, store }), dispose };
    },
  },
  {
    name: 'repository',
    create: async (files, options) => {
      const bytes = packTarGz(
        { ...files, ...(Object.keys(files).length === 0 ? { '': '' } : {}) },
        { wrapper: 'skills-main', comment: COMMIT },
      );
      number += 1;
      server.put(`/acme/skills-${number}/archive/main.tar.gz`, bytes);
      return {
        source: await fetchGitHubArchive({
          ...options,
          owner: 'acme',
          repo: `skills-${number}`,
          ref: 'main',
          baseUrl: server.origin,
          allowPrivate: true,
        }),
      };
    },
  },
  {
    name: 'folder of a repository',
    create: async (files, options) => {
      number += 1;
      server.put(
        `/acme/skills-${number}/archive/HEAD.tar.gz`,
        packTarGz({ ...files, '': '' }, { wrapper: 'skills-main/packs/v1' }),
      );
      return {
        source: await fetchGitHubArchive({
          ...options,
          owner: 'acme',
          repo: `skills-${number}`,
          subdir: 'packs/v1',
          baseUrl: server.origin,
          allowPrivate: true,
        }),
      };
    },
  },
];

for (const suite of suites) {
  describe(suite.name, () => {
    for (const check of sourceSuite({ ...suite, foldsNames: true })) test(check.name, check.run);
  });
}
