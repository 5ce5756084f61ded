import { expect, it, onTestFinished } from 'vitest';
import { createProvider } from '../../src/server/index.ts';
import { preparedOf } from '../../src/server/prepared.ts';
import { memorySource } from '../../src/source/index.ts';

it('keeps of an answer its bytes alone, not what Node cut them from', async () => {
  const provider = await createProvider({
    source: memorySource({ 'a/SKILL.md': '---\nname: a\ndescription: Größe \u{1f600}.\n---\n' }),
  });
  onTestFinished(() => provider.close());
  const answer = preparedOf(provider, 'http', 'modern')?.answer('skills/get', { uri: 'skill://a/SKILL.md' });
  if (!Buffer.isBuffer(answer)) throw new Error('an answer beyond ASCII is bytes');
  expect(answer.toString()).toContain('Größe \u{1f600}.');
  expect(answer.buffer.byteLength).toBe(answer.length);
});
