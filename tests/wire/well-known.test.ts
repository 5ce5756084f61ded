import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DISCOVERY_INDEX_PATH,
  type DiscoveryEntry,
  discoveryIndexText,
  isLegacyPath,
  LEGACY_INDEX_PATH,
  legacyIndexText,
  MAX_WELL_KNOWN_DESCRIPTION,
  parseDiscoveryIndex,
  parseLegacyIndex,
} from '../../src/wire/index.ts';

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const AT = 'https://host.example/.well-known/agent-skills/index.json';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const ENTRY = {
  name: 'pdf',
  type: 'skill-md',
  description: 'Reads PDF files',
  url: 'pdf/SKILL.md',
  digest: DIGEST,
};

const index = (skills: unknown, schema: unknown = SCHEMA): string =>
  JSON.stringify({ ...(schema === undefined ? {} : { $schema: schema }), skills });
const read = (entry: unknown, tolerant = false) =>
  parseDiscoveryIndex(index([entry]), AT, tolerant ? { tolerant } : {});

describe('names that peers see', () => {
  it('are those of the RFC', () => {
    expect(DISCOVERY_INDEX_PATH).toBe('/.well-known/agent-skills/index.json');
    expect(LEGACY_INDEX_PATH).toBe('/.well-known/skills/index.json');
    expect(MAX_WELL_KNOWN_DESCRIPTION).toBe(1024);
  });
});

describe('the discovery index', () => {
  it('is written as compact JSON in the order of the RFC, without a field of the caller', () => {
    const text = discoveryIndexText([{ ...ENTRY, extra: 1 } as unknown as DiscoveryEntry]);
    expect(text).toBe(
      `{"$schema":"${SCHEMA}","skills":[{"name":"pdf","type":"skill-md","description":"Reads PDF files","url":"pdf/SKILL.md","digest":"${DIGEST}"}]}`,
    );
    expect(discoveryIndexText([])).toBe(`{"$schema":"${SCHEMA}","skills":[]}`);
  });

  it.each([
    ['pdf/SKILL.md', 'https://host.example/.well-known/agent-skills/pdf/SKILL.md'],
    ['./pdf/SKILL.md', 'https://host.example/.well-known/agent-skills/pdf/SKILL.md'],
    ['../pdf.tar.gz', 'https://host.example/.well-known/pdf.tar.gz'],
    ['/a/pdf.zip', 'https://host.example/a/pdf.zip'],
    ['//cdn.example/pdf.zip', 'https://cdn.example/pdf.zip'],
    ['http://other.example/x', 'http://other.example/x'],
    ['a%20b.zip?x=1#part', 'https://host.example/.well-known/agent-skills/a%20b.zip?x=1'],
  ])('resolves %s', (url, expected) => {
    expect(read({ ...ENTRY, url }).skills).toEqual([{ ...ENTRY, url: expected }]);
  });

  it('ignores fields it does not know, and a BOM', () => {
    const text = `\ufeff${JSON.stringify({ $schema: SCHEMA, version: 3, skills: [{ ...ENTRY, license: 'MIT' }] })}`;
    const { skills, problems } = parseDiscoveryIndex(text, AT);
    expect(skills.map(({ name }) => name)).toEqual(['pdf']);
    expect(skills[0]).not.toHaveProperty('license');
    expect(problems).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ['no object', 'pdf', 'ENTRY', 'skills[0]'],
    ['null', null, 'ENTRY', 'skills[0]'],
    ['a list', [], 'ENTRY', 'skills[0]'],
    ['no name', { ...ENTRY, name: undefined }, 'NAME', 'skills[0].name'],
    ['an upper-case name', { ...ENTRY, name: 'Pdf' }, 'NAME', 'skills[0].name'],
    ['a name with an underscore', { ...ENTRY, name: 'a_b' }, 'NAME', 'skills[0].name'],
    ['a name that leads out', { ...ENTRY, name: '../x' }, 'NAME', 'skills[0].name'],
    ['a name of 65', { ...ENTRY, name: 'a'.repeat(65) }, 'NAME', 'skills[0].name'],
    ['two hyphens', { ...ENTRY, name: 'a--b' }, 'NAME', 'skills[0].name'],
    ['a name from the prototype', { ...ENTRY, name: { toString: 'x' } }, 'NAME', 'skills[0].name'],
    ['an empty description', { ...ENTRY, description: '' }, 'DESCRIPTION', 'skills[0].description'],
    ['1,025 units', { ...ENTRY, description: '📄'.repeat(513) }, 'DESCRIPTION', 'skills[0].description'],
    ['another type', { ...ENTRY, type: 'task' }, 'TYPE', 'skills[0].type'],
    ['no type', { ...ENTRY, type: undefined }, 'TYPE', 'skills[0].type'],
    ['no url', { ...ENTRY, url: undefined }, 'URL', 'skills[0].url'],
    ['an empty url', { ...ENTRY, url: '' }, 'URL', 'skills[0].url'],
    ['a url that is none', { ...ENTRY, url: 'http://[' }, 'URL', 'skills[0].url'],
    ['a file', { ...ENTRY, url: 'file:///etc/passwd' }, 'URL', 'skills[0].url'],
    ['a script', { ...ENTRY, url: 'javascript:alert(1)' }, 'URL', 'skills[0].url'],
    ['data', { ...ENTRY, url: 'data:text/markdown,x' }, 'URL', 'skills[0].url'],
    ['a password', { ...ENTRY, url: 'https://u:p@host.example/x' }, 'URL', 'skills[0].url'],
    ['a url of 8,193', { ...ENTRY, url: 'a'.repeat(8193) }, 'URL', 'skills[0].url'],
    ['no digest', { ...ENTRY, digest: undefined }, 'DIGEST', 'skills[0].digest'],
    ['bare hex', { ...ENTRY, digest: DIGEST.slice(7) }, 'DIGEST', 'skills[0].digest'],
    ['upper-case hex', { ...ENTRY, digest: `sha256:${'A'.repeat(64)}` }, 'DIGEST', 'skills[0].digest'],
    ['another algorithm', { ...ENTRY, digest: `sha512:${'a'.repeat(64)}` }, 'DIGEST', 'skills[0].digest'],
  ])('drops an entry with %s alone, and says so', (_, bad, code, at) => {
    const { skills, problems } = parseDiscoveryIndex(index([bad, { ...ENTRY, name: 'other' }]), AT);
    expect(skills.map(({ name }) => name)).toEqual(['other']);
    expect(problems).toMatchObject([{ severity: 'error', code, at }]);
    expect(problems[0]?.message.length).toBeGreaterThan(5);
  });

  it.each<[string, string, string]>([
    ['no JSON', '{', 'NOT_JSON'],
    ['nothing', '', 'NOT_JSON'],
    ['deep nesting', '['.repeat(200_000), 'NOT_JSON'],
    ['a list', '[]', 'NO_SKILLS'],
    ['null', 'null', 'NO_SKILLS'],
    ['no skills', JSON.stringify({ $schema: SCHEMA }), 'NO_SKILLS'],
    ['skills that are no list', index({ 0: ENTRY }), 'NO_SKILLS'],
    ['no schema', index([ENTRY], undefined).replace(`"$schema":"${SCHEMA}",`, ''), 'SCHEMA'],
    ['another schema', index([ENTRY], 'https://other.example/s.json'), 'SCHEMA'],
    ['a schema that is no text', index([ENTRY], 2), 'SCHEMA'],
  ])('has no skills when it is %s', (_, text, code) => {
    expect(parseDiscoveryIndex(text, AT)).toMatchObject({
      skills: [],
      problems: [{ severity: 'error', code, at: '' }],
    });
  });

  it('keeps the first of one name', () => {
    const text = index([ENTRY, { ...ENTRY, url: 'other/SKILL.md' }]);
    const { skills, problems } = parseDiscoveryIndex(text, AT);
    expect(skills.map(({ url }) => url)).toEqual([
      'https://host.example/.well-known/agent-skills/pdf/SKILL.md',
    ]);
    expect(problems).toMatchObject([{ code: 'DUPLICATE_NAME', severity: 'error', at: 'skills[1].name' }]);
  });

  it('tells no more than a hundred problems and the number of the rest', () => {
    const { skills, problems } = parseDiscoveryIndex(index(Array.from({ length: 250 }, () => 0)), AT);
    expect(skills).toEqual([]);
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.message).toBe('150 more problems of this index are not told');
  });

  it('looks at no more than 200,000 entries', () => {
    const text = `{"$schema":"${SCHEMA}","skills":[${'0,'.repeat(200_000)}${JSON.stringify(ENTRY)}]}`;
    const { skills, problems } = parseDiscoveryIndex(text, AT);
    expect(skills).toEqual([]);
    expect(problems[0]).toMatchObject({ code: 'TOO_MANY_ENTRIES', severity: 'warning', at: '' });
  });

  it('refuses a place that is no URL', () => {
    expect(() => parseDiscoveryIndex(index([]), 'index.json')).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });
});

describe('the tolerant reader', () => {
  it.each<[string, unknown, unknown, readonly string[]]>([
    ['bare hex', { ...ENTRY, digest: DIGEST.slice(7) }, { digest: DIGEST }, ['DIGEST']],
    [
      'upper-case hex',
      { ...ENTRY, digest: DIGEST.toUpperCase().replace('SHA256', 'sha256') },
      { digest: DIGEST },
      ['DIGEST'],
    ],
    [
      'bare hex as sha256',
      { ...ENTRY, digest: undefined, sha256: DIGEST.slice(7) },
      { digest: DIGEST },
      ['DIGEST'],
    ],
    ['a task', { ...ENTRY, type: 'task' }, { type: 'skill-md' }, ['TYPE']],
    [
      'a display name, named by its folder',
      { ...ENTRY, name: 'PDF Reader', url: '/skills/pdf-reader/SKILL.md' },
      { name: 'pdf-reader' },
      ['NAME'],
    ],
    [
      'a display name whose folder has none either',
      { ...ENTRY, name: 'Iran.skill', url: '/SKILL.md' },
      { name: 'iran-skill' },
      ['NAME'],
    ],
    [
      'all of it at once',
      { name: 'My_Skill', type: 'task', description: 'x', url: 'a_b/SKILL.md', sha256: DIGEST.slice(7) },
      { name: 'my-skill', type: 'skill-md', digest: DIGEST },
      ['NAME', 'TYPE', 'DIGEST'],
    ],
  ])('takes %s with a warning', (_, entry, expected, codes) => {
    const { skills, problems } = read(entry, true);
    expect(skills).toMatchObject([expected]);
    expect(problems.map(({ code }) => code)).toEqual(codes);
    expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(read(entry).skills).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    [
      'a display name of an archive',
      { ...ENTRY, name: 'PDF Reader', url: 'pdf.zip', type: 'archive' },
      'NAME',
    ],
    ['a name of which nothing is left', { ...ENTRY, name: '名', url: '名/SKILL.md' }, 'NAME'],
    ['a task that is no SKILL.md', { ...ENTRY, type: 'task', url: 'pdf.zip' }, 'TYPE'],
    ['a digest that is none', { ...ENTRY, digest: 'sha256:abc' }, 'DIGEST'],
    ['a script', { ...ENTRY, url: 'javascript:alert(1)' }, 'URL'],
  ])('still drops %s', (_, entry, code) => {
    expect(read(entry, true)).toMatchObject({ skills: [], problems: [{ code, severity: 'error' }] });
  });

  it.each(['https://other.example/s.json', undefined, 7])('reads the schema %s', (schema) => {
    const text = schema === undefined ? JSON.stringify({ skills: [ENTRY] }) : index([ENTRY], schema);
    expect(parseDiscoveryIndex(text, AT, { tolerant: true })).toMatchObject({
      skills: [{ name: 'pdf' }],
      problems: [{ code: 'SCHEMA', severity: 'warning', at: '' }],
    });
  });
});

describe('the older index', () => {
  const OLD = { name: 'pdf', description: 'Reads PDF files', files: ['SKILL.md', 'references/forms.md'] };

  it('is written without schema', () => {
    expect(legacyIndexText([{ ...OLD }])).toBe(
      '{"skills":[{"name":"pdf","description":"Reads PDF files","files":["SKILL.md","references/forms.md"]}]}',
    );
  });

  it('puts SKILL.md first, once, however it is spelled', () => {
    const entry = { ...OLD, files: ['b.md', 'skill.md', 'b.md', 'SKILL.md', 'd/skill.md'] };
    expect(parseLegacyIndex(JSON.stringify({ skills: [entry] })).skills).toEqual([
      { ...OLD, files: ['SKILL.md', 'b.md', 'd/skill.md'] },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a bad name', { ...OLD, name: 'Pdf' }, 'NAME'],
    ['no description', { ...OLD, description: '' }, 'DESCRIPTION'],
    ['no files', { ...OLD, files: undefined }, 'FILES'],
    ['no SKILL.md', { ...OLD, files: ['a.md'] }, 'FILES'],
    ['SKILL.md only below', { ...OLD, files: ['a/SKILL.md'] }, 'FILES'],
    ['an absolute path', { ...OLD, files: ['SKILL.md', '/etc/passwd'] }, 'FILES'],
    ['a traversal', { ...OLD, files: ['SKILL.md', 'a/../../b'] }, 'FILES'],
    ['a traversal encoded', { ...OLD, files: ['SKILL.md', '%2e%2e/b'] }, 'FILES'],
    ['a backslash', { ...OLD, files: ['SKILL.md', 'a\\b'] }, 'FILES'],
    ['a drive letter by backslash', { ...OLD, files: ['SKILL.md', 'C:\\b'] }, 'FILES'],
    ['NUL', { ...OLD, files: ['SKILL.md', 'a\u0000'] }, 'FILES'],
    ['an empty segment', { ...OLD, files: ['SKILL.md', 'a//b'] }, 'FILES'],
    ['a query', { ...OLD, files: ['SKILL.md', 'a?b'] }, 'FILES'],
    ['a number', { ...OLD, files: ['SKILL.md', 3] }, 'FILES'],
    ['20,001 files', { ...OLD, files: Array.from({ length: 20_001 }, () => 'SKILL.md') }, 'FILES'],
  ])('is dropped whole for an entry with %s, unless read tolerantly', (_, bad, code) => {
    const text = JSON.stringify({ skills: [bad, { ...OLD, name: 'other' }] });
    const strict = parseLegacyIndex(text);
    expect(strict.skills).toEqual([]);
    expect(strict.problems.map((each) => each.code)).toEqual([code, 'ENTRY']);
    const tolerant = parseLegacyIndex(text, { tolerant: true });
    expect(tolerant.skills.map(({ name }) => name)).toEqual(['other']);
    expect(tolerant.problems).toMatchObject([{ code, severity: 'error' }]);
  });

  it('is not what has a schema', () => {
    const text = JSON.stringify({ $schema: SCHEMA, skills: [OLD] });
    expect(parseLegacyIndex(text)).toMatchObject({ skills: [], problems: [{ code: 'SCHEMA' }] });
    expect(parseLegacyIndex(text, { tolerant: true }).skills).toHaveLength(1);
  });

  it.each([
    ['how to.md', true],
    ['名前/é.md', true],
    ['a.b.c', true],
    ['a..b', false],
    ['100%.md', false],
    ['a?.md', false],
    ['a#b', false],
    ['a\\b', false],
    ['', false],
    ['./a', false],
    ['a/', false],
    ['\ud800', false],
  ])('carries %j: %s', (path, expected) => {
    expect(isLegacyPath(path)).toBe(expected);
  });
});

describe('properties', () => {
  const name = fc.stringMatching(/^[a-z0-9]{1,10}(-[a-z0-9]{1,10}){0,2}$/);
  const description = fc
    .string({ minLength: 1, maxLength: 1024, unit: 'binary' })
    .filter((text) => text.length <= 1024);
  const digest = fc.stringMatching(/^sha256:[0-9a-f]{64}$/);
  const entry = fc.record<DiscoveryEntry>({
    name,
    type: fc.constantFrom('skill-md', 'archive'),
    description,
    url: name.map((each) => `${each}/x.tar.gz`),
    digest,
  });

  it('what is written is read again, strict and tolerant alike', () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: (each) => each.name, maxLength: 5 }), (skills) => {
        const expected = skills.map((each) => ({
          ...each,
          url: `https://host.example/.well-known/agent-skills/${each.url}`,
        }));
        const text = discoveryIndexText(skills);
        expect(parseDiscoveryIndex(text, AT)).toEqual({ skills: expected, problems: [] });
        expect(parseDiscoveryIndex(text, AT, { tolerant: true })).toEqual({ skills: expected, problems: [] });
      }),
    );
  });

  it('the older form is read again', () => {
    const path = fc
      .array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'))
      .filter((each) => isLegacyPath(each) && each.toLowerCase() !== 'skill.md');
    const old = fc.record({
      name,
      description,
      files: fc.uniqueArray(path, { maxLength: 4 }).map((files) => ['SKILL.md', ...files]),
    });
    fc.assert(
      fc.property(fc.uniqueArray(old, { selector: (each) => each.name, maxLength: 4 }), (skills) => {
        expect(parseLegacyIndex(legacyIndexText(skills))).toEqual({ skills, problems: [] });
      }),
    );
  });

  it('no JSON makes a reader throw or let a bad entry through', () => {
    const loose = fc.record(
      {
        name: fc.oneof(name, fc.jsonValue()),
        type: fc.oneof(fc.constantFrom('skill-md', 'archive', 'task'), fc.jsonValue()),
        description: fc.oneof(description, fc.jsonValue()),
        url: fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom('a/SKILL.md', 'file:///x'), fc.jsonValue()),
        digest: fc.oneof(digest, fc.jsonValue()),
        files: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const document = fc.oneof(
      fc.json(),
      fc.string(),
      fc.array(loose).map((skills) => JSON.stringify({ $schema: SCHEMA, skills })),
      fc.array(loose).map((skills) => JSON.stringify({ skills })),
    );
    fc.assert(
      fc.property(document, fc.boolean(), (text, tolerant) => {
        for (const { skills } of [parseDiscoveryIndex(text, AT, { tolerant })]) {
          for (const skill of skills) {
            expect(skill.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
            expect(skill.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
            expect(skill.url).toMatch(/^https?:\/\//);
            expect(skill.description.length).toBeGreaterThan(0);
            expect(skill.description.length).toBeLessThanOrEqual(1024);
          }
        }
        for (const { files } of parseLegacyIndex(text, { tolerant }).skills) {
          expect(files[0]).toBe('SKILL.md');
          for (const file of files)
            expect(new URL(`https://h/a/b/${file}`).href).toMatch(/^https:\/\/h\/a\/b\//);
        }
      }),
      { numRuns: 500 },
    );
  });
});
