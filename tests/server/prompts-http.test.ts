import { expect, onTestFinished, test } from 'vitest';
import { openDocs, openPrompts } from '../../src/prompts/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { connectClient, start } from '../http/harness.ts';
import { skillText } from './support.ts';

test.each(['legacy', 'auto'] as const)('over HTTP, prompts and documents reach a %s client', async (mode) => {
  const prompts = await openPrompts(
    memorySource({
      'a.md': '---\ndescription: A\narguments: [{ name: x, required: true }]\n---\nSay {{x}}\n',
    }),
  );
  const docs = await openDocs(memorySource({ 'index.md': '# I\n' }));
  const provider = await createProvider({
    source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
    prompts,
    docs,
  });
  onTestFinished(() => provider.close());
  const { url } = await start({ provider });
  const { client } = await connectClient(url, mode);
  expect((await client.listPrompts()).prompts).toEqual([
    { name: 'a', description: 'A', arguments: [{ name: 'x', required: true }] },
  ]);
  expect((await client.getPrompt({ name: 'a', arguments: { x: 'hi' } })).messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Say hi\n' } },
  ]);
  await expect(client.getPrompt({ name: 'a' })).rejects.toMatchObject({ code: -32602 });
  expect((await client.readResource({ uri: 'resource://docs/index.md' })).contents).toMatchObject([
    { text: '# I\n' },
  ]);
  const index = await client.readResource({ uri: 'resource://catalog/prompts_index?q=a' });
  expect(index.contents[0]).toMatchObject({ mimeType: 'application/json' });
});
