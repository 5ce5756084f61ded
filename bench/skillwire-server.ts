import { join } from 'node:path';
import { CLI } from './built.ts';
import { type Server, serve } from './child.ts';
import { PAGE, TOKEN } from './plan.ts';
import { settle } from './settle.ts';

/**
 * Skillwire as people start it: the command line, watching its folder, asking for a token, checking `Host` and `Origin`.
 * What it keeps goes below `temp`.
 */
export function serveSkillwire(root: string, temp: string, pageSize: number = PAGE): Promise<Server> {
  const env = { SKILLWIRE_TOKEN: TOKEN, XDG_CACHE_HOME: join(temp, 'cache-of-servers') };
  return serve([CLI, 'serve', root, '--http', '127.0.0.1:0', '--page-size', String(pageSize)], env);
}

/** The same, once it has packed the archives that installers may ask for and does nothing more by itself. */
export async function settledSkillwire(
  root: string,
  temp: string,
  pageSize: number = PAGE,
): Promise<Server & { readonly busyMs: number }> {
  const server = await serveSkillwire(root, temp, pageSize);
  return { ...server, busyMs: await settle(server.pid) };
}
