import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { runHere } from './in-process.ts';
import { ROOT, run, stopAll } from './program.ts';

afterAll(stopAll);

const COMMANDS = ['serve', 'check', 'init', 'list', 'show', 'verify', 'pull', 'diff', 'pack', 'unpack'];

describe('skillwire', () => {
  it('prints its version, that of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(VERSION).toBe(version);
    const { code, stdout, stderr } = await run(['--version']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('loads nothing but a few small files of its own before it knows what is asked', () => {
    const seen = new Set<string>();
    const outside = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
        /^import (?!type ).*? from '([^']+)';$/gm,
      )) {
        if (from.startsWith('.')) visit(join(dirname(file), from));
        else outside.add(from);
      }
    };
    visit(join(ROOT, 'src', 'cli', 'main.ts'));
    expect([...outside].filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(seen.size).toBeLessThan(10);
  });

  it.each([[['--help']], [['help']], [['-h']]])('prints its help for %j', async (args) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const word of [...COMMANDS, '--version', 'SKILLWIRE_TOKEN']) expect(stdout).toContain(word);
  });

  const wrong: readonly (readonly [readonly string[], string, string])[] = [
    [
      [],
      'no command given',
      'one of: serve, check, init, list, show, verify, pull, diff, pack, unpack; see skillwire --help',
    ],
    [['srve'], 'there is no command "srve"', 'did you mean serve?'],
    [['./skills'], 'there is no command "./skills"', 'to serve a folder: skillwire serve ./skills'],
    [['--nope'], "unknown option '--nope'", 'see skillwire --help'],
    [['serve'], 'serve needs a source', 'skillwire serve ./skills'],
    [['serve', '.', '--htp'], "unknown option '--htp'", 'did you mean --http? see skillwire serve --help'],
    [
      ['serve', '--http', './skills'],
      '--http takes a port or an address, and "./skills" is a path',
      'skillwire serve ./skills --http',
    ],
    [['serve', '.', '--http', 'here'], '--http does not understand "here"', 'HOST:PORT'],
    [
      ['serve', '.', '--symlinks', 'maybe'],
      "option '--symlinks <how>' argument 'maybe' is invalid. Allowed choices are contained, follow, refuse.",
      'see skillwire serve --help',
    ],
    [['serve', '.', '--page-size', '0'], '--page-size is "0"', 'a whole number from 1'],
    [['serve', '.', '--page-size', '1e3'], '--page-size is "1e3"', 'a whole number from 1'],
    [['serve', '.', '--ttl', '-1'], '--ttl is "-1"', 'a whole number from 0'],
    [
      ['serve', '.', '--token-file', 'x'],
      '--token-file is for HTTP, and this serves over stdio',
      'add --http',
    ],
    [['serve', '.', '--allowed-host', 'x'], '--allowed-host is for HTTP', 'add --http'],
    [
      ['serve', '.', '--print-config', 'emacs'],
      '--print-config knows no client "emacs"',
      'claude-code, claude-desktop, cursor',
    ],
    [['serve', 'a='], '"a=" has nothing after "="; a source is a folder, an archive', 'see skillwire'],
    [['show'], 'no target given; a target is', 'skillwire show ./skills'],
    [
      ['show', 'a', 'b', 'c', 'd'],
      'show takes a target, a skill and a file',
      'skillwire show ./skills pdf SKILL.md',
    ],
    [['show', '.', ''], 'an argument is empty', 'skillwire show ./skills pdf SKILL.md'],
    [['pack'], "missing required argument 'source'", 'see skillwire pack --help'],
    [['pack', '.', '-o', 'a', '--to', 'b'], '-o names a file and --to a folder', 'give one of them'],
    [['pack', '.', '-o', ''], '-o has no file', '-o pdf.tar.gz'],
    [['pack', '.', '-o', 'src'], '-o names a file, and src is a folder', '--to src'],
    [['pack', '.', '-o', 'out/'], '-o names a file, and out/ is a folder', '--to out/'],
    [['pack', '.', '--format', 'rar'], '--format is "rar"', 'tar.gz and zip are written'],
    [['pack', '.', '--format', 'toString'], '--format is "toString"', 'tar.gz and zip are written'],
    [
      ['pack', '.', '-o', 'a.zip', '--format', 'tar.gz'],
      'a.zip has the name of a zip, and --format says tar.gz',
      'make both say the same',
    ],
    [['pack', '.', '--max-bytes', '1k'], '--max-bytes is "1k"', '-1 for no cap'],
    [['pack', '.', '--max-bytes', '-2'], '--max-bytes is "-2"', '-1 for no cap'],
    [['unpack'], "missing required argument 'archive'", 'see skillwire unpack --help'],
    [['unpack', ''], 'the archive is empty', 'skillwire unpack pdf.tar.gz'],
    [['unpack', 'x.zip', '--to', ''], '--to has no folder', '--to skills/pdf'],
    [
      ['unpack', 'https://host.example/a.zip?token=secret'],
      'unpack takes a file, and https://host.example/a.zip?… is not on this machine',
      'curl -L URL | skillwire unpack -',
    ],
    [
      ['unpack', 'github:acme/skills'],
      'unpack takes a file, and github:acme/skills is not on this machine',
      'skillwire pack github:acme/skills SKILL',
    ],
    [['init'], "missing required argument 'name'", 'see skillwire init --help'],
    [
      ['init', 'a', 'b'],
      "too many arguments for 'init'. Expected 1 argument but got 2",
      'see skillwire init --help',
    ],
  ];
  it.each(wrong)('refuses %j with exit code 2 and a hint', async (args, message, hint) => {
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    const [first = '', second = '', ...rest] = stderr.trimEnd().split('\n');
    expect(first).toContain('skillwire: error[USAGE]: ');
    expect(first).toContain(message);
    expect(second).toContain('  hint: ');
    expect(second).toContain(hint);
    expect(rest).toEqual([]);
  });

  it('ends its process with that exit code', async () => {
    const { code, stdout, stderr } = await run(['serve']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^skillwire: error\[USAGE\]: serve needs a source\n {2}hint: .+\n$/);
  });

  it.each([
    [['serve', 'no/such/folder'], 3, 'SOURCE_NOT_FOUND'],
    [['serve', 'package.json'], 3, 'SOURCE_NOT_A_FOLDER'],
    [['check', 'no/such/folder'], 3, 'SOURCE_NOT_FOUND'],
    [['serve', 'examples/skills', '--http', '0.0.0.0:0'], 2, 'BIND_REFUSED'],
    [['serve', 'examples/skills', '--http', '--token-file', 'no/such/file'], 3, 'FILE_UNREADABLE'],
  ] as const)('ends %j with exit code %d and %s', async (args, exit, name) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(exit);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`^skillwire: error\\[${name}\\]: .+\n`));
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['no/such/file', /^ {2}hint: make one: \(umask 077; openssl rand -hex 32 > no\/such\/file\)/m],
    ['examples', /^ {2}hint: name a file that holds the token/m],
  ])('says what to do when the token file is %s', async (file, hint) => {
    const { code, stderr } = await run(['serve', 'examples/skills', '--http', '--token-file', file]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^skillwire: error\[FILE_UNREADABLE\]: cannot read the token file /);
    expect(stderr).toMatch(hint);
  });

  it('gives an error to programs as one JSON document', async () => {
    const { code, stdout } = await run(['check', 'no/such/folder', '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'SOURCE_NOT_FOUND', message: expect.stringContaining('no/such/folder') },
    });
  });
});

describe('docs/reference/cli.md', () => {
  const document = readFileSync(join(ROOT, 'docs', 'reference', 'cli.md'), 'utf8');

  it.each(COMMANDS)('names every flag of %s', async (command) => {
    const { stdout } = await run([command, '--help']);
    const section = document.split(/^## /m).find((part) => part.startsWith(`${command}\n`)) ?? '';
    const known = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag ?? '');
    expect(known.length).toBeGreaterThan(4);
    expect(known.filter((flag) => flag !== '--help' && !section.includes(flag))).toEqual([]);
    const documented = [...section.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag ?? '');
    expect(documented.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});
