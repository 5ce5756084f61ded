import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeSkillFile } from 'skillwire/format';
import { installPeer } from '../peers/install.ts';
import { runToEnd } from '../serve.ts';
import type { Tally } from '../tally.ts';
import { disagreementOf } from './disagreements.ts';
import { everyHead, type Head } from './heads.ts';

const SCRIPT = fileURLToPath(new URL('validate.py', import.meta.url));

/** Asks the validator of the specification about everything that `check` passes. */
export async function skillsRef(tally: Tally): Promise<void> {
  const peer = await installPeer('skills-ref');
  if ('notRun' in peer) {
    tally.notRun('skills-ref', peer.notRun);
    return;
  }
  const temp = mkdtempSync(join(tmpdir(), 'skillwire-skills-ref-'));
  try {
    const passed = new Map<string, { head: Head; codes: readonly string[] }>();
    for (const [index, head] of everyHead().entries()) {
      const { outcome, diagnostics } = judgeSkillFile(Buffer.from(head.text), {
        path: 'SKILL.md',
        folderName: head.folder,
      });
      if (outcome !== 'listed' || head.folder === '') continue;
      const folder = join(temp, String(index), head.folder);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'SKILL.md'), head.text);
      passed.set(folder, { head, codes: diagnostics.map(({ code }) => code) });
    }
    const { stdout } = await runToEnd(peer.program, [SCRIPT], { input: JSON.stringify([...passed.keys()]) });
    const said = JSON.parse(stdout) as Record<string, readonly string[]>;
    const met = new Map<string, number>();
    let agreed = 0;
    for (const [folder, { head, codes }] of passed) {
      const errors = said[folder] ?? ['nothing was said of it'];
      if (errors.length === 0) agreed += 1;
      const known = errors.map((error) => disagreementOf(error, { text: head.text, codes }));
      const unknown = errors.filter((_, index) => known[index] === undefined);
      const told = [...unknown, head.text.slice(0, 400)].join('\n');
      tally.check(`skills-ref, ${head.from}`, unknown.length === 0, told);
      for (const what of known) if (what !== undefined) met.set(what, (met.get(what) ?? 0) + 1);
    }
    tally.check(
      'skills-ref agrees with check on most',
      agreed > passed.size / 2,
      `${agreed} of ${passed.size}`,
    );
    console.log(`skills-ref: ${agreed} of ${passed.size} skills that check passes are valid to it as well`);
    for (const [what, count] of met) tally.peer(`skills-ref: ${what} (${count})`);
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}
