import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sources } from './tree.ts';

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile());
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Files of `src` that may be longer than 300 lines, each with its reason. */
const LONG: Readonly<Record<string, string>> = {};

describe('files', () => {
  it('of src have at most 300 lines', () => {
    const long = sources()
      .filter((file) => file.text.split('\n').length > 301)
      .map((file) => file.path);
    expect(long).toEqual(Object.keys(LONG));
  });

  it('of src begin with what they are', () => {
    expect(
      sources()
        .filter((file) => file.tokens[0]?.kind !== 'doc' || !file.tokens[0].text.includes('@module'))
        .map((file) => file.path),
    ).toEqual([]);
  });

  it('are named in kebab case', () => {
    expect(
      tracked.filter(
        (path) => /^(src|tests)\//.test(path) && path.endsWith('.ts') && !/^[a-z0-9/.-]+$/.test(path),
      ),
    ).toEqual([]);
  });

  it('leave nothing for later', () => {
    const mark = new RegExp(['TO', 'DO|FIX', 'ME|HA', 'CK|XX', 'X'].join(''));
    expect(
      sources()
        .filter((file) => mark.test(file.text))
        .map((file) => file.path),
    ).toEqual([]);
  });

  it('switch no rule of the compiler or the linter off', () => {
    const switchedOff = /@ts-ignore|@ts-expect-error|@ts-nocheck|biome-ignore|\bas any\b/;
    expect(
      sources()
        .filter((file) => switchedOff.test(file.text))
        .map((file) => file.path),
    ).toEqual([]);
  });
});

describe('tracked text', () => {
  const own = 'tests/house/text.test.ts';
  const readable = tracked.filter(
    (path) => path !== own && !readFileSync(join(ROOT, path)).subarray(0, 8192).includes(0),
  );

  it('holds no path of a machine and no address of a registry', () => {
    const wrong =
      /(^|[\s"'`(=])\/(work|root)\/|"resolved": "https?:|^registry ?=|index-url|GOPROXY=|npmjs\.(org|com)\/|npm\.pkg\.|pypi\.org|crates\.io\//m;
    expect(readable.filter((path) => wrong.test(text(path)))).toEqual([]);
  });

  it('holds no secret', () => {
    const wrong = /gh[pousr]_[A-Za-z0-9]{30}|sk-[A-Za-z0-9]{32}|AKIA[A-Z0-9]{16}|xox[bp]-[0-9]{10}/;
    expect(readable.filter((path) => wrong.test(text(path)))).toEqual([]);
  });
});

describe('Markdown', () => {
  const documents = tracked.filter((path) => path.endsWith('.md') && !path.startsWith('tests/'));
  /** The text with fenced and inline code blanked: a link in code is not a link. */
  const prose = (path: string): string =>
    text(path)
      .replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
      .replace(/`[^`\n]*`/g, '');
  const anchors = (path: string): Set<string> =>
    new Set(
      text(path)
        .replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
        .split('\n')
        .filter((line) => /^#{1,6} /.test(line))
        .map((line) =>
          line
            .replace(/^#+ /, '')
            .trim()
            .toLowerCase()
            .replace(/[^\p{L}\p{N} _-]/gu, '')
            .replaceAll(' ', '-'),
        ),
    );

  it('has documents to look at', () => {
    expect(documents).toContain('README.md');
    expect(documents).toContain('docs/reference/errors.md');
  });

  it.each(documents)('%s has no dead link of its own', (path) => {
    const dead: string[] = [];
    for (const [, target = ''] of prose(path).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)));
      if (!existsSync(join(ROOT, to))) dead.push(target);
      else if (anchor !== undefined && to.endsWith('.md') && !anchors(to).has(anchor)) dead.push(target);
    }
    expect(dead).toEqual([]);
  });
});
