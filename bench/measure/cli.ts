import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, program } from '../built.ts';
import { output, serve } from '../child.ts';
import type { Bench } from '../corpora.ts';
import { uriOf } from '../corpus.ts';
import { ask } from '../fire.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { type Call, httpMessage } from '../message.ts';
import { TOKEN } from '../plan.ts';
import { serveSkillwire } from '../skillwire-server.ts';
import { StdioSession } from '../stdio-session.ts';
import { number, quotient, table, time } from '../table.ts';

/** How long the command line takes to start, and to its first answer. */
export async function measureCli({ plan, temp, few, status }: Bench): Promise<Measured> {
  status('starts of the command line');
  const starts: Record<'node' | 'version' | 'http' | 'httpAgain' | 'stdio' | 'sdk', number[]> = {
    node: [],
    version: [],
    http: [],
    httpAgain: [],
    stdio: [],
    sdk: [],
  };
  const get: Call = { method: 'skills/get', params: { uri: uriOf(3) } };
  const cache = join(temp, 'cache-of-starts');
  const overHttp = (): Promise<number> =>
    timed(async () => {
      const server = await serveSkillwire(few, cache);
      await ask(server.url, httpMessage(server.url, get, 1_000, TOKEN));
      return () => server.stop();
    });
  for (let round = 0; round < plan.starts; round++) {
    starts.node.push(await timed(() => ends(['-e', '0'])));
    starts.version.push(await timed(() => ends([CLI, '--version'])));
    rmSync(cache, { recursive: true, force: true });
    starts.http.push(await overHttp());
    starts.httpAgain.push(await overHttp());
    starts.stdio.push(
      await timed(async () => {
        const session = await StdioSession.open([CLI, 'serve', few], 'modern', { XDG_CACHE_HOME: cache });
        await session.ask(get);
        return () => session.close();
      }),
    );
    starts.sdk.push(
      await timed(async () => {
        const server = await serve([program('serve-sdk'), few, 'http']);
        await ask(server.url, httpMessage(server.url, get, 1_000, TOKEN));
        return () => server.stop();
      }),
    );
  }
  const of = (who: keyof typeof starts): number => median(starts[who]);
  const numbers = Object.fromEntries(
    Object.keys(starts).map((who) => [`cli.${who}.ms`, of(who as keyof typeof starts)]),
  );
  const toAnswer = `from its start to its first answer, ${plan.few} skills`;
  return {
    numbers,
    lines: [
      '### Starts',
      '',
      ...table(
        ['', { number: 'time' }, { number: 'of `node -e 0`' }],
        [
          ['`node -e 0`', 'node'],
          ['`skillwire --version`', 'version'],
          [`\`skillwire serve --http\`, ${toAnswer}`, 'http'],
          ['the same, with what the first start kept', 'httpAgain'],
          [`\`skillwire serve\` over stdio, ${toAnswer}`, 'stdio'],
          [`official SDK over HTTP, ${toAnswer}`, 'sdk'],
        ].map(([label = '', who]) => {
          const ms = of(who as keyof typeof starts);
          return [label, time(ms), number(quotient(ms, of('node')))];
        }),
      ),
    ],
  };
}

/** The time of `work` in ms; what it gives ends what it started and is not counted. */
async function timed(work: () => Promise<() => Promise<void>>): Promise<number> {
  const begun = performance.now();
  const end = await work();
  const ms = performance.now() - begun;
  await end();
  return ms;
}

async function ends(args: readonly string[]): Promise<() => Promise<void>> {
  const { code, stderr } = await output(process.execPath, args);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}: ${stderr}`);
  return async () => undefined;
}
