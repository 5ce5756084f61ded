import { describe, test } from 'vitest';
import { createDirectorySource } from '../../src/source/directory.ts';
import { directorySource, memorySource, mountSources, type Source } from '../../src/source/index.ts';
import { type SourceSuiteOptions, sourceSuite } from '../../src/testing/index.ts';
import { later, PROGRAM, readOnlyTree, tree, viewOf } from './support.ts';

const suites: readonly SourceSuiteOptions[] = [
  { name: 'memory', create: (files, options) => ({ source: memorySource(files, options) }) },
  { name: 'later', create: (files, options) => ({ source: later(memorySource(files, options)) }) },
  {
    name: 'directory',
    create: (files, options) => ({ source: directorySource(readOnlyTree(files), options) }),
  },
  {
    name: 'directory with a second thread',
    create: (files, options = {}) => ({
      source: createDirectorySource(readOnlyTree(files), options, { program: PROGRAM }),
    }),
  },
  {
    name: 'directory without /proc',
    create: (files, options) => ({
      source: createDirectorySource(readOnlyTree(files), options ?? {}, { procFd: false, foldsNames: true }),
    }),
  },
  {
    name: 'directory behind a link',
    create: (files, options) => ({
      source: directorySource(`${tree({ link: `-> ${readOnlyTree(files)}` })}/link`, options),
    }),
  },
  {
    name: 'folder behind a link in a directory',
    create: (files, options = {}) => {
      const real = readOnlyTree(files);
      const source = directorySource(tree({ link: `-> ${real}` }), {
        linkRoots: [real],
        ...(options.ignore === undefined ? {} : { ignore: options.ignore }),
        ...(options.allowSecret === undefined
          ? {}
          : { allowSecret: [...options.allowSecret, ...options.allowSecret.map((each) => `/link${each}`)] }),
      });
      return { source: viewOf(source, 'link') };
    },
  },
  {
    name: 'one mount',
    create: (files, options) => ({ source: mountSources([{ source: memorySource(files, options) }]) }),
  },
  {
    name: 'two mounts at the root',
    create: (files, options) => ({
      source: mountSources([{ source: memorySource(files, options) }, { source: memorySource({}) }]),
    }),
  },
  {
    name: 'a mount below a prefix, beside others, some later',
    create: (files, options) => {
      const mounted = mountSources([
        { source: later(memorySource({ 'x/SKILL.md': 'x' })) },
        { source: directorySource(readOnlyTree(files), options), prefix: 'p/q' },
        { source: memorySource({ y: 'y' }), prefix: 'p' },
      ]);
      return { source: viewOf(mounted, 'p/q') };
    },
  },
];

for (const suite of suites) {
  describe(suite.name, () => {
    for (const check of sourceSuite(suite)) test(check.name, check.run);
  });
}

const faulty: readonly {
  readonly fault: string;
  readonly check: RegExp;
  readonly break: (source: Source) => Source;
}[] = [
  {
    fault: 'unsorted listing',
    check: /code-point order/,
    break: (source) => ({
      ...wrap(source),
      list: async (path) => {
        const folder = await source.list(path);
        return { ...folder, nodes: [...folder.nodes].reverse() };
      },
    }),
  },
  {
    fault: 'paths taken as they come',
    check: /paths that are none/,
    break: (source) => ({
      ...wrap(source),
      read: (path, options) => source.read(path.replace('/../', '/').replace('./', ''), options),
    }),
  },
  {
    fault: 'prefix test without a separator',
    check: /identity/,
    break: (source) => ({ ...wrap(source), contains: (ancestor, id) => id.startsWith(ancestor) }),
  },
  {
    fault: 'no cap',
    check: /maxBytes/,
    break: (source) => ({ ...wrap(source), read: (path) => source.read(path) }),
  },
];

function wrap(source: Source): Source {
  return {
    label: source.label,
    list: (path) => source.list(path),
    read: (path, options) => source.read(path, options),
    stat: (path, options) => source.stat(path, options),
    contains: (ancestor, id) => source.contains(ancestor, id),
    close: () => source.close(),
  };
}

describe('the suite finds', () => {
  test.each(faulty)('$fault', async ({ check, break: breakIt }) => {
    const checks = sourceSuite({
      name: 'faulty',
      create: (files, options) => ({ source: breakIt(memorySource(files, options)) }),
    });
    const found = checks.filter(({ name }) => check.test(name));
    const failures = await Promise.all(
      found.map(({ run }) =>
        run().then(
          () => 0,
          () => 1,
        ),
      ),
    );
    if (!failures.includes(1)) throw new Error(`no check of ${found.length} found it`);
  });
});
