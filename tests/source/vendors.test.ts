import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { openSource, VENDORS } from '../../src/source/index.ts';
import { openVendor } from '../../src/source/open-vendor.ts';
import { recordingLogger, skillText } from '../server/support.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillwire-vendors-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function put(path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const skill = (name: string, body?: string): string => skillText(name, '', body);

async function found(text: string): Promise<readonly string[]> {
  const catalog = await openCatalog(await openSource(text, { home }));
  const uris = catalog.snapshot.skills.map(({ uri }) => uri);
  await catalog.close();
  return uris;
}

describe('the table', () => {
  it('has the folders of each vendor, in their order', () => {
    expect(VENDORS.map(({ name, roots }) => [name, roots])).toEqual([
      ['claude', ['~/.claude/skills']],
      ['cursor', ['~/.cursor/skills']],
      ['vscode', ['~/.copilot/skills']],
      ['copilot', ['~/.copilot/skills']],
      ['codex', ['/etc/codex/skills', '~/.codex/skills']],
      ['gemini', ['~/.gemini/skills']],
      ['goose', ['~/.config/agents/skills']],
      ['opencode', ['~/.config/opencode/skills']],
    ]);
  });
});

describe('vendor:NAME', () => {
  it.each(VENDORS.map(({ name, roots }) => [name, roots.at(-1) ?? '']))('opens %s', async (name, root) => {
    put(`${root.slice(2)}/pdf/SKILL.md`, skill('pdf'));
    expect(await found(`vendor:${name}`)).toEqual(['skill://pdf/SKILL.md']);
  });

  it('takes any case, and a prefix', async () => {
    put('.claude/skills/pdf/SKILL.md', skill('pdf'));
    expect(await found('mine=Vendor:Claude')).toEqual(['skill://mine/pdf/SKILL.md']);
  });

  it('follows links into the folder of the common installer, and out of both nowhere', async () => {
    put('.agents/skills/pdf/SKILL.md', skill('pdf'));
    put('elsewhere/csv/SKILL.md', skill('csv'));
    mkdirSync(join(home, '.claude/skills'), { recursive: true });
    symlinkSync(join(home, '.agents/skills/pdf'), join(home, '.claude/skills/pdf'));
    symlinkSync(join(home, 'elsewhere/csv'), join(home, '.claude/skills/csv'));
    expect(await found('vendor:claude')).toEqual(['skill://pdf/SKILL.md']);
  });

  it('opens a folder that is a link itself', async () => {
    put('dotfiles/skills/pdf/SKILL.md', skill('pdf'));
    mkdirSync(join(home, '.cursor'));
    symlinkSync(join(home, 'dotfiles/skills'), join(home, '.cursor/skills'));
    expect(await found('vendor:cursor')).toEqual(['skill://pdf/SKILL.md']);
  });

  it('gives a path of that name the first say', async () => {
    put('vendor:claude/pdf/SKILL.md', skill('pdf'));
    const source = await openSource('vendor:claude', { home, cwd: home });
    expect(source.label).toBe('vendor:claude');
    expect(await source.read('pdf/SKILL.md')).toHaveProperty('bytes');
    await source.close();
  });

  it.each([
    ['vendor:claude', 'vendor:claude has no skills here: there is no ~/.claude/skills'],
    [
      'vendor:codex',
      'vendor:codex has no skills here: there is neither /etc/codex/skills nor ~/.codex/skills',
    ],
  ])('says of %s where it looked', async (text, message) => {
    await expect(openSource(text, { home })).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND', message });
  });

  const NAMES = 'claude, cursor, vscode, copilot, codex, gemini, goose, opencode';
  it.each([
    ['vendor:clude', `there is no vendor "clude"; did you mean vendor:claude; there are ${NAMES}`],
    ['vendor:vs-code', `there is no vendor "vs-code"; did you mean vendor:vscode; there are ${NAMES}`],
    ['vendor:', `there is no vendor ""; there are ${NAMES}`],
    ['vendor:../x', `there is no vendor "../x"; there are ${NAMES}`],
  ])('refuses %s', async (text, message) => {
    await expect(openSource(text, { home })).rejects.toMatchObject({ code: 'USAGE', message });
  });
});

describe('several folders of one vendor', () => {
  const open = (logger = recordingLogger().logger) =>
    openVendor(
      { name: 'codex', title: 'Codex', roots: [join(home, 'etc/skills'), '~/.codex/skills'] },
      { home, logger },
    );

  it('are laid over each other: the first has a name, and what gives way is told', async () => {
    put('etc/skills/dup/SKILL.md', skill('dup', 'The first.\n'));
    put('etc/skills/only-a/SKILL.md', skill('only-a'));
    put('.codex/skills/dup/SKILL.md', skill('dup', 'The second.\n'));
    put('.codex/skills/dup/more.md', 'more');
    put('.codex/skills/only-b/SKILL.md', skill('only-b'));
    const { logger, lines } = recordingLogger();
    const catalog = await openCatalog(await open(logger));
    expect(catalog.snapshot.skills.map(({ uri, files }) => [uri, files.length])).toEqual([
      ['skill://dup/SKILL.md', 1],
      ['skill://only-a/SKILL.md', 1],
      ['skill://only-b/SKILL.md', 1],
    ]);
    const { bytes } = await catalog.read('skill://dup/SKILL.md');
    expect(bytes.toString()).toContain('The first.');
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      [
        'warn',
        expect.stringMatching(/etc.skills and .*\.codex.skills both have dup; the first one is served$/),
      ],
    ]);
    await catalog.close();
  });

  it.each(['etc/skills', '.codex/skills'])('need not all exist: %s alone', async (root) => {
    put(`${root}/pdf/SKILL.md`, skill('pdf'));
    const catalog = await openCatalog(await open());
    expect(catalog.snapshot.skills.map(({ uri }) => uri)).toEqual(['skill://pdf/SKILL.md']);
    expect(catalog.source.hostRoots?.map(({ folder }) => folder)).toEqual([join(home, root)]);
    await catalog.close();
  });

  it('are all watched', async () => {
    put('etc/skills/a/SKILL.md', skill('a'));
    put('.codex/skills/b/SKILL.md', skill('b'));
    const source = await open();
    expect(source.hostRoots?.map(({ folder }) => folder)).toEqual([
      join(home, 'etc/skills'),
      join(home, '.codex/skills'),
    ]);
    await source.close();
  });
});
