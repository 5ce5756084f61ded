/** Gives each team its own skills from one HTTP server, told apart by token. */
// #region teams
import { createHttpApp, createProvider, memorySource, type SkillProvider } from 'skillwire';

const teams = new Map<string, { token: string; provider: SkillProvider }>();
for (const team of ['red', 'blue']) {
  const skill = `---\nname: ${team}-rules\ndescription: The rules of team ${team}. Use before each task.\n---\nBe kind.\n`;
  const provider = await createProvider({ source: memorySource({ [`${team}-rules/SKILL.md`]: skill }) });
  teams.set(team, { token: `${team}-token-for-this-example`, provider });
}

const app = createHttpApp({
  token: (given) => {
    const found = [...teams].find(([, { token }]) => token === given);
    return found === undefined ? undefined : { id: found[0] };
  },
  provider: ({ id }) => {
    const team = teams.get(id);
    if (team === undefined) throw new Error(`no team ${id}`);
    return team.provider;
  },
});
const { url } = await app.listen({ port: Number(process.env.PORT ?? 8750) });
console.error(`skills on ${url}`);
// #endregion teams

process.once('SIGTERM', async () => {
  await app.close();
  for (const { provider } of teams.values()) await provider.close();
});
