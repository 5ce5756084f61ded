import { createHttpApp, type HttpApp, type SkillProvider } from 'skillwire';
import { parseDiscoveryIndex } from 'skillwire/wire';

/** Lets everybody read the well-known documents. */
export function everybody(provider: SkillProvider, token: string): HttpApp {
  // #region public
  const app = createHttpApp({ provider, token, publicWellKnown: true });
  // #endregion public
  return app;
}

/** Reads an index of somebody else. */
export async function published(): Promise<readonly string[]> {
  // #region read
  const response = await fetch('https://skills.example/.well-known/agent-skills/index.json');
  const { skills, problems } = parseDiscoveryIndex(await response.text(), response.url);
  for (const { at, message } of problems) console.error(`${at}: ${message}`);
  // #endregion read
  return skills.map(({ name }) => name);
}
