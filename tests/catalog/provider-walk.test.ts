import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { isSkillError } from '../../src/errors.ts';
import { memorySource } from '../../src/source/index.ts';

interface Vector {
  readonly name: string;
  readonly input: {
    readonly files: Record<string, string>;
    readonly options?: { readonly uriPrefix?: string };
  };
  readonly expect: {
    readonly error?: string;
    readonly resources?: { uri: string; name: string; description?: string }[];
    readonly index?: {
      skills: {
        name: string;
        description: string;
        url: string;
        digest: string;
        _meta?: Record<string, { path: string; digest: string }[]>;
      }[];
    };
  };
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/provider-walk.json', import.meta.url), 'utf8'),
) as Vector[];

const CODES: Record<string, string> = {
  ErrManifestNotInRoot: 'MANIFEST_NOT_IN_ROOT',
  ErrNestedSkill: 'NESTED_SKILL',
  ErrSkillNameMismatch: 'SKILL_NAME_MISMATCH',
  ErrMissingFrontmatter: 'MISSING_FRONTMATTER',
};

/** Recorded cases where another result is right; each is a line in `docs/reference/deviations.md`. */
const DEVIATIONS: Record<string, string[]> = {
  'hidden files and dirs inside a skill ARE served': ['skill://a/SKILL.md'],
  'file names with spaces/unicode are NOT percent-encoded in URIs': [
    'skill://a/50%25.md',
    'skill://a/SKILL.md',
    'skill://a/h%23.md',
    'skill://a/my%20file.md',
    'skill://a/q%3F.md',
    'skill://a/%C3%A9.md',
  ],
  'uppercase prefix dir ok': ['skill://Acme%20Org/a/SKILL.md'],
};

describe('provider-walk, strict', () => {
  it.each(vectors)('$name', async ({ name, input, expect: right }) => {
    const prefix = input.options?.uriPrefix;
    const options = { strict: true, ...(prefix !== undefined && { prefix }) };
    const opened = openCatalog(memorySource(input.files), options);
    if (right.error !== undefined) {
      const error = await opened.then(
        () => undefined,
        (thrown) => thrown,
      );
      expect(isSkillError(error, CODES[right.error] as 'NESTED_SKILL')).toBe(true);
      return;
    }
    const { snapshot } = await opened;
    const deviation = DEVIATIONS[name];
    const uris = snapshot.skills.flatMap((skill) => skill.files.map((file) => file.uri));
    const recorded = right.resources?.map((resource) => resource.uri) ?? [];
    expect(uris.sort()).toEqual([...(deviation ?? recorded)].sort());
    expect(deviation === undefined || deviation.join() !== recorded.join()).toBe(true);

    const indexed = right.index?.skills ?? [];
    expect(snapshot.skills.map((skill) => [skill.name, skill.description])).toEqual(
      indexed.map((skill) => [skill.name, skill.description]),
    );
    for (const [at, skill] of snapshot.skills.entries()) {
      const digests = new Map(skill.files.map((file) => [file.path, file.digest]));
      expect(digests.get('SKILL.md')).toBe(indexed[at]?.digest);
      const pins = indexed[at]?._meta?.['io.modelcontextprotocol.skills/file-digests'] ?? [];
      for (const { path, digest } of pins) {
        const ignored = name.startsWith('hidden files');
        expect(digests.get(path)).toBe(ignored ? undefined : digest);
      }
    }
  });

  it('has every recorded deviation', () => {
    const names = vectors.map((vector) => vector.name);
    expect(Object.keys(DEVIATIONS).filter((name) => !names.includes(name))).toEqual([]);
  });
});
