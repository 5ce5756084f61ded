import { directorySource, memorySource, mountSources, openSource, type Source } from 'skillwire/source';
import { sourceSuite } from 'skillwire/testing';

/** A source from text, as the command line takes it. */
export async function open(): Promise<Source> {
  // #region open
  const source = await openSource('team=./skills');

  for (const node of (await source.list('team')).nodes) console.log(node.name, node.withheld?.message ?? '');
  const { bytes, stamp } = await source.read('team/pdf/SKILL.md', { maxBytes: 1_000_000 });
  console.log(bytes.length, stamp);
  // #endregion open
  return source;
}

/** A folder that the common installer links into another. */
export function vendor(): Source {
  // #region directory
  return directorySource('.claude/skills', {
    symlinks: 'contained',
    linkRoots: ['.agents/skills'],
    allowSecret: ['fixtures/*.pem'],
    ignore: ['drafts/'],
  });
  // #endregion directory
}

/** Skills made by a program. */
export function builtIn(): Source {
  // #region memory
  const source = memorySource({
    'status/SKILL.md': '---\nname: status\ndescription: Read the state of this server\n---\n',
    'status/now.md': () => `It is ${new Date().toISOString()}.\n`,
    'status/reports/': '',
  });
  source.set('status/help.md', 'Ask an operator.\n');
  // #endregion memory
  return source;
}

/** Two of them as one. */
export function both(): Source {
  // #region mount
  const source = mountSources([
    { source: directorySource('./skills') },
    { source: builtIn(), prefix: 'built-in' },
  ]);
  // #endregion mount
  return source;
}

/** The contract as tests of any runner. */
export function testMySource(test: (name: string, run: () => Promise<void>) => void): void {
  // #region suite
  const suite = sourceSuite({
    name: 'my source',
    create: (files, options) => ({ source: memorySource(files, options) }),
  });
  for (const check of suite) test(check.name, check.run);
  // #endregion suite
}
