import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stampOf } from '../../src/source/file-read.ts';
import { KeptLooksWriter } from '../../src/source/kept-looks.ts';
import { LookShares } from '../../src/source/look-shares.ts';
import { lookAll } from '../../src/source/looks-answer.ts';
import { tempFolder } from './support.ts';

/** What is told of a folder whose one file was kept `times` times. */
function isSame(times: number): boolean {
  const root = tempFolder();
  writeFileSync(join(root, 'SKILL.md'), 'x');
  const look = (path: string): string => stampOf(lstatSync(path, { bigint: true }));
  const file = look(join(root, 'SKILL.md'));
  const writer = new KeptLooksWriter();
  const stamps = new Array<string>(times).fill(file);
  writer.add(0, ['', ...new Array<string>(times).fill('SKILL.md')], [look(root), ...stamps]);
  const shares = new LookShares(1);
  const { dev: device } = lstatSync(root, { bigint: true });
  lookAll({
    job: 'looks',
    root,
    device,
    kept: Buffer.concat(writer.pieces()),
    shares: new LookShares(1, shares.memory).memory,
  });
  return shares.isSame(0);
}

it('a folder of some files is looked at on the second thread', () => {
  expect(isSame(1_000)).toBe(true);
});

it('a folder of very many is left to the first, since a thread whose memory is full can end the process', () => {
  expect(isSame(400_000)).toBe(false);
});
