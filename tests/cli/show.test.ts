import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliContext } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { tarGz } from '../archive/build-tar.ts';
import { zip } from '../archive/build-zip.ts';
import { treeOf } from '../store/tree-of.ts';
import { memoryContext, runHere } from './in-process.ts';
import { folderWith, PROGRAM, skillText, stopAll } from './program.ts';

const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);
const PDF = skillText('pdf', 'Fills forms. Use when a PDF is to be filled.');
const FILES = {
  'skills/pdf/SKILL.md': PDF,
  'skills/pdf/assets/logo.png': BINARY,
  'skills/pdf/scripts/run.sh': '#!/bin/sh\r\n\u001b[2Jecho\thi\n',
  'skills/pdf/.env': 'SECRET=1',
  'skills/notes/SKILL.md': skillText('notes'),
  'skills/broken/SKILL.md': '---\nname: broken\n---\n',
};
const digest = (content: string | Buffer): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

let folder: ReturnType<typeof folderWith>;
beforeEach(() => {
  folder = folderWith(FILES);
});
afterEach(() => folder.remove());
afterAll(stopAll);

const at = (...names: string[]): string => join(folder.path, ...names);
const show = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runHere(['show', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const asJson = async (...args: string[]) => JSON.parse(await show('--json', ...args));
/** The program on a terminal, in this process. */
async function onTerminal(
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { context, text } = memoryContext();
  const terminal: CliContext = { ...context, output: { ...context.output, isTerminal: true } };
  return { code: await runProgram(args, terminal), ...text };
}

describe('skillwire show SOURCE', () => {
  it('shows skills, files, sizes and digests, and what is wrong', async () => {
    const before = treeOf(folder.path);
    const text = await show(at('skills'));
    const lines = text.split('\n');
    const size = [PDF, BINARY, FILES['skills/pdf/scripts/run.sh'], skillText('notes')].reduce(
      (sum, content) => sum + content.length,
      0,
    );
    expect(lines[0]).toBe(`2 skills from ${at('skills')} (2 listed, 1 refused; 4 files, ${size} B)`);
    expect(lines[1]).toMatch(/^a folder; revision [0-9a-f]{12}…$/);
    expect(text).toContain('\npdf  Fills forms. Use when a PDF is to be filled.\n');
    expect(text).toContain(`  assets/logo.png  6 B   ${digest(BINARY).slice(0, 19)}…\n`);
    expect(text).toContain('refused, not served at all (1):');
    expect(text).toContain('FRONTMATTER_MISSING_DESCRIPTION');
    expect(text).toContain('SECRET_WITHHELD');
    expect(treeOf(folder.path)).toEqual(before);
  });

  it('tells programs all of it', async () => {
    const shown = await asJson(at('skills'));
    expect(shown).toMatchObject({
      source: at('skills'),
      kind: 'folder',
      revision: expect.stringMatching(/^[0-9a-f]{64}$/),
      counts: { skills: 2, listed: 2, unlisted: 0, refused: 1, files: 4 },
      refused: [{ path: 'broken', diagnostic: { code: 'FRONTMATTER_MISSING_DESCRIPTION' } }],
    });
    expect(shown.skills.map((skill: { name: string }) => skill.name)).toEqual(['notes', 'pdf']);
    expect(shown.skills[1]).toEqual({
      name: 'pdf',
      path: 'pdf',
      uri: 'skill://pdf/SKILL.md',
      description: 'Fills forms. Use when a PDF is to be filled.',
      listed: true,
      size: PDF.length + 6 + FILES['skills/pdf/scripts/run.sh'].length,
      files: [
        {
          path: 'SKILL.md',
          uri: 'skill://pdf/SKILL.md',
          size: PDF.length,
          digest: digest(PDF),
          mimeType: 'text/markdown',
        },
        {
          path: 'assets/logo.png',
          uri: 'skill://pdf/assets/logo.png',
          size: 6,
          digest: digest(BINARY),
          mimeType: 'image/png',
        },
        expect.objectContaining({ path: 'scripts/run.sh' }),
      ],
    });
    expect(shown.diagnostics.map((each: { code: string }) => each.code)).toContain('SECRET_WITHHELD');
  });

  const archives: readonly (readonly [string, () => Buffer, object, string])[] = [
    [
      'x.tar.gz',
      () => tarGz([{ name: 'SKILL.md', body: PDF }]),
      { kind: 'archive', format: 'tar.gz' },
      'an archive, tar.gz; no folder around everything',
    ],
    [
      'x.zip',
      () =>
        zip([
          { name: 'repo-main/pdf/SKILL.md', body: PDF },
          { name: 'repo-main/README.md', body: '' },
        ]),
      { kind: 'archive', format: 'zip', wrapper: 'repo-main' },
      'an archive, zip; the folder repo-main around everything taken off',
    ],
    [
      'nameless',
      () =>
        tarGz([
          { name: 'pdf/SKILL.md', body: PDF },
          { name: 'README.md', body: '' },
        ]),
      { kind: 'archive', format: 'tar.gz' },
      'no folder around everything',
    ],
  ];
  it.each(archives)(
    'shows what is in the archive %s, of what format, wrapped or not',
    async (name, make, facts, text) => {
      writeFileSync(at(name), make());
      const shown = await asJson(at(name));
      expect(shown).toMatchObject({ ...facts, counts: { skills: 1, files: 1 } });
      expect('wrapper' in shown).toBe('wrapper' in facts);
      expect(shown.skills[0].files[0].digest).toBe(digest(PDF));
      expect(await show(at(name))).toContain(text);
    },
  );

  it('shows the same of an archive as of its folder', async () => {
    const names = ['SKILL.md', 'assets/logo.png', 'scripts/run.sh'] as const;
    writeFileSync(at('pdf.zip'), zip(names.map((name) => ({ name, body: FILES[`skills/pdf/${name}`] }))));
    const [ofArchive, ofFolder] = [await asJson(at('pdf.zip')), await asJson(at('skills/pdf'))];
    expect(ofArchive.skills).toEqual(ofFolder.skills);
    expect(ofArchive.revision).toBe(ofFolder.revision);
  });

  it('shows a folder of archives, and the one of them that is no archive', async () => {
    mkdirSync(at('packs'));
    writeFileSync(at('packs/a.zip'), zip([{ name: 'SKILL.md', body: PDF }]));
    writeFileSync(at('packs/b.tar.gz'), tarGz([{ name: 'SKILL.md', body: skillText('notes') }]));
    writeFileSync(at('packs/c.zip'), 'no zip');
    const shown = await asJson(at('packs'));
    expect(shown).toMatchObject({ kind: 'archives', counts: { skills: 2 } });
    expect(JSON.stringify(shown.diagnostics)).toContain('c.zip');
    expect(await show(at('packs'))).toContain('a folder of archives; revision');
    expect(await show(at('packs'), 'notes')).toContain(digest(skillText('notes')));
  });

  it('lists many skills without their files', async () => {
    for (let index = 0; index < 61; index++) {
      mkdirSync(at('many', `s${index}`), { recursive: true });
      writeFileSync(at('many', `s${index}`, 'SKILL.md'), skillText(`s${index}`, 'Word. '.repeat(40).trim()));
    }
    const { code, stdout, stderr } = await runHere(['show', at('many')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^s60 +1 file {2}\d+ B {2}sha256:[0-9a-f]{12}… {2}Word\. .*…$/m);
    expect(
      stdout
        .split('\n')
        .slice(2)
        .every((line) => line.length <= 100),
    ).toBe(true);
    expect(stderr).toBe('add the name of a skill to see its files\n');
  });

  it('opens an archive as safely as anything', async () => {
    writeFileSync(at('x.tar.gz'), tarGz([{ name: '../SKILL.md', body: PDF }]));
    const before = treeOf(folder.path);
    const { code, stdout } = await runHere(['show', at('x.tar.gz'), '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'ARCHIVE_PATH_TRAVERSAL' } });
    expect(treeOf(folder.path)).toEqual(before);
  });

  it('lets nothing of a skill steer the terminal', async () => {
    mkdirSync(at('evil/x'), { recursive: true });
    writeFileSync(
      at('evil/x/SKILL.md'),
      '---\nname: x\ndescription: "a\\e[2Jb\\u202Ec. Use it."\nlicense: "\\e]0;t\\a"\n---\n',
    );
    const shown = [await show(at('evil')), await show(at('evil'), 'x')];
    for (const text of shown) expect(text).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(shown[1]).toContain('license: \\u{1b}]0;t\\u{7}');
  });
});

describe('skillwire show SOURCE SKILL', () => {
  it.each(['pdf', 'pdf/', './pdf/SKILL.md', 'skill://pdf', 'skill://pdf/SKILL.md'])(
    'shows the skill %s',
    async (name) => {
      const text = await show(at('skills'), name);
      expect(text).toMatch(
        /^pdf\n {2}uri {5}skill:\/\/pdf\/SKILL\.md\n {2}folder {2}pdf\n {2}state {3}listed\n/,
      );
      expect(text).toContain('frontmatter\n  name: pdf\n  description: Fills forms.');
      expect(text).toMatch(new RegExp(`^ {2}assets/logo\\.png +6 B +image/png +${digest(BINARY)}$`, 'm'));
      expect(text).toContain(`${at('skills/pdf/.env')}: warning[SECRET_WITHHELD]`);
    },
  );

  it('tells programs its entry', async () => {
    const shown = await asJson(at('skills'), 'pdf');
    expect(shown).toMatchObject({
      skill: { name: 'pdf', path: 'pdf' },
      entry: {
        uri: 'skill://pdf/SKILL.md',
        frontmatter: { name: 'pdf', description: 'Fills forms. Use when a PDF is to be filled.' },
        resources: [
          { uri: 'skill://pdf/SKILL.md', digest: digest(PDF), size: PDF.length },
          { uri: 'skill://pdf/assets/logo.png', digest: digest(BINARY), size: 6 },
          { uri: 'skill://pdf/scripts/run.sh' },
        ],
      },
      diagnostics: [{ code: 'SECRET_WITHHELD', path: 'pdf/.env' }],
    });
  });

  it('says what is unlisted, and quotes what is wrong', async () => {
    mkdirSync(at('long/x'), { recursive: true });
    writeFileSync(at('long/x/SKILL.md'), skillText('x', 'y'.repeat(1_025)));
    const text = await show(at('long'), 'x');
    expect(text).toContain('state   unlisted: served by URI and in no listing');
    expect(text).toMatch(/SKILL\.md:3:\d+: warning\[DESCRIPTION_TOO_LONG\]/);
    expect(text).toContain('  3 | ');
    expect(await show(at('long'))).toContain('x (unlisted)  ');
  });

  it('shows a skill under another name by that and by its folder', async () => {
    mkdirSync(at('other/folder'), { recursive: true });
    writeFileSync(at('other/folder/SKILL.md'), skillText('name'));
    for (const name of ['folder', 'name', 'skill://name']) {
      expect(await show(at('other'), name)).toContain('folder  folder');
    }
    expect(await show(at('other'))).toContain('folder (as name)  ');
  });

  it('refuses one that is refused, unknown, or not the only one of its name', async () => {
    for (const group of ['a', 'b']) {
      mkdirSync(at('skills', group, 'twin'), { recursive: true });
      writeFileSync(at('skills', group, 'twin', 'SKILL.md'), skillText('twin'));
    }
    const cases = [
      ['broken', 1, 'SKILL_REFUSED', 'skillwire check'],
      ['pdff', 3, 'RESOURCE_NOT_FOUND', 'did you mean pdf?'],
      ['zzzzzzzz', 3, 'RESOURCE_NOT_FOUND', 'it has twin, notes, pdf'],
      ['skill://zzz', 3, 'RESOURCE_NOT_FOUND', 'it has '],
      ['skill://a//b', 3, 'RESOURCE_NOT_FOUND', 'it has '],
      ['../pdf', 3, 'RESOURCE_NOT_FOUND', 'did you mean pdf?'],
      ['twin', 2, 'USAGE', 'name one by its folder: a/twin, b/twin'],
    ] as const;
    for (const [name, exit, code, hint] of cases) {
      const { code: ended, stdout, stderr } = await runHere(['show', at('skills'), name]);
      expect([name, ended, stdout]).toEqual([name, exit, '']);
      expect(stderr).toContain(`error[${code}]`);
      expect(stderr).toContain(hint);
    }
    expect(await show(at('skills'), 'b/twin')).toContain('folder  b/twin');
  });
});

describe('skillwire show SOURCE SKILL FILE', () => {
  it.each(['scripts/run.sh', './scripts/run.sh', 'skill://pdf/scripts/run.sh'])(
    'prints the bytes of %s',
    async (file) => {
      expect(await show(at('skills'), 'pdf', file)).toBe('#!/bin/sh\r\n\u001b[2Jecho\thi\n');
    },
  );

  it('prints binary files when nobody looks', () => {
    const done = spawnSync(process.execPath, [...PROGRAM, 'show', at('skills'), 'pdf', 'assets/logo.png']);
    expect([done.status, done.stderr.toString()]).toEqual([0, '']);
    expect(done.stdout).toEqual(BINARY);
  });

  it('prints all of a large file', () => {
    const large = Buffer.alloc(5_000_000, 'line of text\n');
    writeFileSync(at('skills/pdf/large.txt'), large);
    const done = spawnSync(process.execPath, [...PROGRAM, 'show', at('skills'), 'pdf', 'large.txt'], {
      maxBuffer: 10_000_000,
    });
    expect(done.stdout.equals(large)).toBe(true);
  });

  it('shows a terminal no binary file, and no text that steers it', async () => {
    const binary = await onTerminal(['show', at('skills'), 'pdf', 'assets/logo.png']);
    expect(binary).toMatchObject({ code: 2, stdout: '' });
    expect(binary.stderr).toContain('assets/logo.png is binary (image/png, 6 bytes)');
    const text = await onTerminal(['show', at('skills'), 'pdf', 'scripts/run.sh']);
    expect(text).toMatchObject({ code: 0, stdout: '#!/bin/sh\n\\u{1b}[2Jecho\thi\n' });
  });

  it('tells programs text as text and the rest in Base64', async () => {
    expect((await asJson(at('skills'), 'pdf', 'SKILL.md')).file).toEqual({
      path: 'SKILL.md',
      uri: 'skill://pdf/SKILL.md',
      size: PDF.length,
      digest: digest(PDF),
      mimeType: 'text/markdown',
      text: PDF,
    });
    expect((await asJson(at('skills'), 'pdf', 'assets/logo.png')).file).toMatchObject({
      digest: digest(BINARY),
      blob: BINARY.toString('base64'),
    });
  });

  it('reads a file out of an archive', async () => {
    writeFileSync(
      at('x.zip'),
      zip([
        { name: 'pdf/SKILL.md', body: PDF },
        { name: 'pdf/a.txt', body: 'text', method: 8 },
      ]),
    );
    expect(await show(at('x.zip'), 'pdf', 'a.txt')).toBe('text');
  });

  it.each([
    ['nope.md', 'has no file "nope.md"', 'it has SKILL.md, assets/logo.png, scripts/run.sh'],
    ['assets', 'assets is a folder', 'it holds assets/logo.png'],
    ['assets/', 'assets is a folder', 'it holds assets/logo.png'],
    ['.env', '.env is not served: [SECRET_WITHHELD]', 'move the secret out'],
    ['host', 'host is not served: [LINK_ESCAPES]', 'replace the link'],
    ['../notes/SKILL.md', 'has no file', 'it has SKILL.md'],
    ['/etc/hostname', 'has no file', 'it has SKILL.md'],
  ])('refuses %s', async (file, message, hint) => {
    symlinkSync('/etc/hostname', at('skills/pdf/host'));
    const { code, stdout, stderr } = await runHere(['show', at('skills'), 'pdf', file]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('error[RESOURCE_NOT_FOUND]');
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it('says how it is written when the source is one skill', async () => {
    const { code, stderr } = await runHere(['show', at('skills/pdf'), 'scripts/run.sh']);
    expect(code).toBe(2);
    expect(stderr).toContain(`hint: skillwire show ${at('skills/pdf')} pdf scripts/run.sh`);
    expect(readFileSync(at('skills/pdf/scripts/run.sh'), 'utf8')).toContain('echo');
  });
});
