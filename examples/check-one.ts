/** Checks one skill and prints what is wrong with it. */
// #region check
import { checkSkill, directorySource } from 'skillwire';

const source = directorySource('examples/skills');
for (const { code, severity, message, path, range } of await checkSkill(source, 'incident-review')) {
  console.log(`${path}:${range?.start.line ?? 1}: ${severity}[${code}] ${message}`);
}
await source.close();
// #endregion check
