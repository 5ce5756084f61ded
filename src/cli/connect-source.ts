/**
 * A source read as a client of a server would read it.
 *
 * @module
 */
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '../client/index.ts';
import { createProvider } from '../server/index.ts';
import { type ClientSettings, type Connected, newClient } from './connected.ts';
import type { CliContext } from './context.ts';
import { openSources } from './open-sources.ts';
import { plural } from './plural.ts';
import { showProgress } from './progress.ts';
import { shellWord } from './shell-word.ts';
import type { Target } from './target.ts';

/**
 * Resolves to a connection to a provider in this process that serves the source. So what is read of a folder is what clients
 * get of it, by the same requests, checked by the same code.
 *
 * Errors: those of `openSource` and of `createProvider`.
 */
export async function connectSource(
  target: Target & { readonly kind: 'source' },
  settings: ClientSettings,
  { output, env, cwd }: CliContext,
): Promise<Connected> {
  const source = await openSources([target.text], { cwd }, { output, env });
  const provider = await createProvider({ source, onProgress: showProgress(output) }).catch(
    async (error: unknown) => {
      await source.close();
      throw error;
    },
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = newClient('legacy');
  const close = async (): Promise<void> => {
    await client.close();
    await provider.close();
  };
  try {
    await provider.createServer({ transport: 'http', listChanged: false }).connect(theirs);
    await client.connect(ours);
  } catch (error) {
    await close();
    throw error;
  }
  const { snapshot } = provider.catalog;
  const unseen =
    snapshot.refused.length + snapshot.skills.filter((skill) => !skill.listed && !skill.hidden).length;
  const notes =
    unseen === 0
      ? []
      : [
          `${plural(unseen, 'skill')} of this source ${unseen === 1 ? 'is' : 'are'} refused or unlisted: skillwire check ${shellWord(target.label)} says why`,
        ];
  return { client: new SkillsClient(client, settings), notes, said: () => [], close };
}
