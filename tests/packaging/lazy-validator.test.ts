/** The program loads the engine that the SDK checks schemas with when it is first asked; what it says is the same. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AjvJsonSchemaValidator as OfClient } from '@modelcontextprotocol/client/validators/ajv';
import { AjvJsonSchemaValidator as OfServer } from '@modelcontextprotocol/server/validators/ajv';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../house/tree.ts';

type Validator = Pick<OfServer, 'getValidator'>;
type Constructor = new (engine?: ConstructorParameters<typeof OfServer>[0]) => Validator;

let folder: string;
const lazily = new Map<string, Constructor>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-validator-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { lazy } = (await import(pathToFileURL(join(ROOT, 'scripts', 'bundle-program.mjs')).href)) as {
    lazy: Plugin;
  };
  for (const name of ['client', 'server']) {
    const outfile = join(folder, `${name}.js`);
    const { metafile } = await build({
      stdin: {
        contents: `export { DefaultJsonSchemaValidator } from '@modelcontextprotocol/${name}/_shims';`,
        resolveDir: ROOT,
      },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      metafile: true,
      plugins: [lazy],
    });
    expect(Object.keys(metafile.inputs).filter((path) => path.includes('ajvProvider'))).toEqual([]);
    const built = (await import(pathToFileURL(outfile).href)) as { DefaultJsonSchemaValidator: Constructor };
    lazily.set(name, built.DefaultJsonSchemaValidator);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ADDRESS = {
  type: 'object',
  properties: { email: { type: 'string', format: 'email' }, age: { type: 'integer', minimum: 0 } },
  required: ['email'],
};

const CASES: readonly (readonly [string, Record<string, unknown>, unknown, boolean])[] = [
  ['what fits', ADDRESS, { email: 'a@b.example', age: 3 }, true],
  ['a format', ADDRESS, { email: 'nobody' }, false],
  ['two faults at once', ADDRESS, { email: 'nobody', age: -1 }, false],
  ['what lacks', ADDRESS, {}, false],
  [
    'draft 7',
    { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
    [1],
    false,
  ],
  ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', minimum: 2 }, 3, true],
  ['2020-12', { prefixItems: [{ type: 'string' }] }, [1], false],
];

describe.each([
  ['client', OfClient],
  ['server', OfServer],
] as const)('the validator of the bundled %s', (name, Real) => {
  const made = (): Validator => new (lazily.get(name) as Constructor)();

  it.each(CASES)('says of %s what the SDK says', (_, schema, value, valid) => {
    const said = made().getValidator(schema)(value);
    expect(said.valid).toBe(valid);
    expect(said).toEqual(new Real().getValidator(schema)(value));
  });

  it('refuses a dialect that it does not know with the words of the SDK', () => {
    const schema = { $schema: 'https://schemas.example/none' };
    const words = (validator: Validator): string => {
      try {
        validator.getValidator(schema);
      } catch (error) {
        return (error as Error).message;
      }
      return 'nothing';
    };
    expect(words(made())).toBe(words(new Real()));
    expect(words(made())).toContain('https://schemas.example/none');
  });

  it('keeps to the engine that it is given', () => {
    const engine = {
      compile: () => Object.assign(() => false, { errors: null }),
      getSchema: () => undefined,
      errorsText: () => 'never',
    };
    const said = new (lazily.get(name) as Constructor)(engine).getValidator({})(1);
    expect(said).toEqual({ valid: false, data: undefined, errorMessage: 'never' });
  });
});
