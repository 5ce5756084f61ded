import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { keptFile, plainFile } from '../../src/catalog/kept-file.ts';
import { directorySource } from '../../src/source/index.ts';
import { md, onDisk } from './trees.ts';

const PLACE = { uri: 'skill://pdf/references%20a', folder: 'skills/pdf/references a', home: 'skills/pdf' };
const FACTS = {
  size: 5,
  digest: `sha256:${'00ff7f80'.repeat(8)}`,
  mimeType: 'text/markdown',
  text: true,
  stamp: '5.1jv0k2q9c3h4a.-3.f',
  modifiedAt: 1_700_000_000_000.25,
  provisional: true,
};

describe('a kept file', () => {
  it('says everything that was said of it', () => {
    const file = keptFile(PLACE, 'ü.md', FACTS);
    const expected = {
      ...FACTS,
      uri: 'skill://pdf/references%20a/%C3%BC.md',
      path: 'references a/ü.md',
      sourcePath: 'skills/pdf/references a/ü.md',
    };
    expect(plainFile(file)).toEqual(expected);
    expect(JSON.parse(JSON.stringify([file]))).toEqual([expected]);
    expect('uri' in file).toBe(true);
  });

  it.each([
    [{ uri: 'skill://a', folder: 'a', home: 'a' }, 'x', ['skill://a/x', 'x', 'a/x']],
    [{ uri: 'skill://p/b', folder: 'a', home: 'a' }, 'x y', ['skill://p/b/x%20y', 'x y', 'a/x y']],
    [
      { uri: 'skill://a/b/c', folder: 'z/a/b/c', home: 'z/a' },
      'x',
      ['skill://a/b/c/x', 'b/c/x', 'z/a/b/c/x'],
    ],
    [{ uri: 'skill://', folder: '', home: '' }, 'x', ['skill:///x', 'x', 'x']],
  ])('stands where its folder stands: %j', (place, name, [uri, path, sourcePath]) => {
    expect(plainFile(keptFile(place, name, FACTS))).toMatchObject({ uri, path, sourcePath });
  });

  it('lacks what its source does not tell', () => {
    const { stamp: _, modifiedAt: __, ...certain } = FACTS;
    expect(Object.keys(keptFile(PLACE, 'x', certain)).sort()).toEqual([
      'digest',
      'mimeType',
      'path',
      'provisional',
      'size',
      'sourcePath',
      'text',
      'uri',
    ]);
    const { digest: ___, ...dynamic } = certain;
    expect('digest' in keptFile(PLACE, 'x', dynamic)).toBe(false);
  });

  it('holds any digest, stamp and time', () => {
    const facts = fc.record({
      digest: fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((bytes) => `sha256:${Buffer.from(bytes).toString('hex')}`),
      stamp: fc.string({ unit: 'grapheme', maxLength: 60 }),
      modifiedAt: fc.double({ noNaN: true }),
      size: fc.maxSafeNat(),
      text: fc.boolean(),
      provisional: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, facts, (one, two) => {
        const files = [one, two].map((each) => keptFile(PLACE, 'x.md', { ...each, mimeType: '' }));
        for (const [at, each] of [one, two].entries()) {
          const { digest, stamp, modifiedAt, size, text, provisional } = plainFile(
            files[at] ?? keptFile(PLACE, '', FACTS),
          );
          expect({ digest, stamp, modifiedAt, size, text, provisional }).toEqual(each);
        }
      }),
    );
  });

  it('has the type that its name and its bytes give', async () => {
    const root = onDisk({
      'a/SKILL.md': md('a'),
      'a/LICENSE': 'text',
      'a/x.bin': '\u0000',
      'a/y.md': new Uint8Array([0xff]),
    });
    const { snapshot } = await openCatalog(directorySource(root));
    expect(snapshot.skills[0]?.files.map(({ path, mimeType, text }) => [path, mimeType, text])).toEqual([
      ['LICENSE', 'text/plain', true],
      ['SKILL.md', 'text/markdown', true],
      ['x.bin', 'text/plain', true],
      ['y.md', 'application/octet-stream', false],
    ]);
  });
});
