import { createServer, type Server } from 'node:http';
import { createHttpApp, createProvider, directorySource, type HttpApp, type SkillProvider } from 'skillwire';

/** Serves a folder until the process is asked to end. */
export async function serve(): Promise<void> {
  // #region serve
  const provider = await createProvider({ source: directorySource('./skills') });
  const app = createHttpApp({ provider });
  const { url } = await app.listen({ port: 8750 });
  console.error(`skills at ${url}`); // http://127.0.0.1:8750/mcp

  process.once('SIGTERM', async () => {
    await app.close(); // lets requests end, for 5 seconds at most
    await provider.close();
  });
  // #endregion serve
}

/** Serves other machines. */
export async function withToken(provider: SkillProvider): Promise<void> {
  // #region token
  const token = process.env.SKILLWIRE_TOKEN;
  if (!token) throw new Error('set SKILLWIRE_TOKEN');
  const app = createHttpApp({ provider, token });
  await app.listen({ host: '0.0.0.0', port: 8750 });
  // #endregion token
}

/** Serves several users, each with skills of their own. */
export function forUsers(
  findUser: (token: string) => Promise<{ id: string } | undefined>,
  providerOfTeam: (id: string) => Promise<SkillProvider>,
): HttpApp {
  // #region users
  const app = createHttpApp({
    token: async (token) => await findUser(token), // { id } or undefined
    provider: (principal) => providerOfTeam(principal.id),
  });
  // #endregion users
  return app;
}

/** Serves from a server that is already there. */
export function own(provider: SkillProvider): Server {
  // #region own
  const app = createHttpApp({ provider, boundHost: '127.0.0.1' });
  const server = createServer(app.handler).listen(8750, '127.0.0.1');
  // #endregion own
  return server;
}
