import { createServer, type Server } from 'node:http';
import { createHttpApp, type HttpApp, type SkillProvider } from 'skillwire';

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
