import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Catalog, openCatalog } from '../../src/catalog/index.ts';
import { type CompleteResult, completePath } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { skillText } from './support.ts';

const FILES = {
  'docs/pdf/SKILL.md': skillText('pdf'),
  'docs/pdf/a b/é #1%.md': 'x',
  'docs/pdf/a!.md': 'x',
  'docs/csv/SKILL.md': skillText('csv'),
  'pdf-old/SKILL.md': skillText('pdf-old'),
  'shy/SKILL.md': skillText('shy'),
  ...Object.fromEntries(
    Array.from({ length: 150 }, (_, at) => [`many/f${String(at).padStart(3, '0')}`, 'x']),
  ),
  'many/SKILL.md': skillText('many'),
};

describe('completion of a path', () => {
  let catalog: Catalog;
  beforeAll(async () => {
    catalog = await openCatalog(memorySource(FILES), { hidden: (path) => path === 'shy' });
  });
  afterAll(() => catalog.close());

  const complete = (value: string): CompleteResult['completion'] =>
    completePath(catalog.snapshot, {
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: { name: 'path', value },
    }).completion;

  it.each([
    ['', ['docs/csv', 'docs/pdf', 'many', 'pdf-old']],
    ['d', ['docs/csv', 'docs/pdf']],
    ['docs/', ['docs/csv', 'docs/pdf']],
    ['pdf', ['docs/pdf', 'pdf-old']],
    ['docs/c', ['docs/csv', 'docs/csv/SKILL.md']],
    ['csv', ['docs/csv', 'docs/csv/SKILL.md']],
    ['docs/pdf', ['docs/pdf', 'docs/pdf/SKILL.md', 'docs/pdf/a b/é %231%25.md', 'docs/pdf/a!.md']],
    ['docs/pdf/', ['docs/pdf/SKILL.md', 'docs/pdf/a b/é %231%25.md', 'docs/pdf/a!.md']],
    ['docs/pdf/a', ['docs/pdf/a b/é %231%25.md', 'docs/pdf/a!.md']],
    ['docs/pdf/a b/', ['docs/pdf/a b/é %231%25.md']],
    ['docs/pdf/a%20b/%C3%A9', ['docs/pdf/a b/é %231%25.md']],
    ['docs/pdf/none', []],
    ['shy', []],
    ['shy/', []],
    ['%', []],
    ['../', []],
    ['d'.repeat(8_193), []],
  ])('%j', (value, values) => {
    expect(complete(value)).toEqual({ values, total: values.length, hasMore: false });
  });

  it('decodes nothing that is longer than a URI', async () => {
    const name = 'a'.repeat(2_800);
    const long = await openCatalog(memorySource({ 'b/SKILL.md': skillText('b'), [`b/${name}`]: 'x' }));
    const total = (value: string): number =>
      completePath(long.snapshot, {
        ref: { type: 'ref/resource', uri: 'skill://{+path}' },
        argument: { name: 'path', value },
      }).completion.total;
    // Decoding megabytes that nobody types keeps a server busy.
    expect([total(`b/${'%61'.repeat(2_730)}`), total(`b/${'%61'.repeat(2_731)}`)]).toEqual([1, 0]);
    await long.close();
  });

  it('sends 100 values and says how many there are', () => {
    const { values, total, hasMore } = complete('many/');
    expect([values.length, total, hasMore, values[0], values[99]]).toEqual([
      100,
      151,
      true,
      'many/SKILL.md',
      'many/f098',
    ]);
  });

  it('gives values whose expansion names the file', () => {
    const encoded = encodeURI('docs/pdf/a!.md');
    expect(catalog.snapshot.locate(`skill://${encoded}`)?.kind).toBe('file');
    for (const value of complete('docs/pdf/').values) {
      // RFC 6570, reserved expansion: everything but unreserved, reserved and escapes is encoded.
      const expanded = value.replace(/[^\w.~:/?#[\]@!$&'()*+,;=%-]/gu, (char) => encodeURIComponent(char));
      expect(catalog.snapshot.locate(`skill://${expanded}`)?.kind).toBe('file');
    }
  });

  it.each([
    [{ type: 'ref/resource', uri: 'skill://{path}' }, 'path'],
    [{ type: 'ref/prompt' }, 'path'],
    [{ type: 'ref/resource', uri: 'skill://{+path}' }, 'name'],
  ])('refuses %j %s', (ref, name) => {
    expect(() => completePath(catalog.snapshot, { ref, argument: { name, value: '' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });
});
