import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, it } from 'vitest';
import { judgeSkillFile, parseFrontmatter, type SkillJudgement } from '../../src/format/index.ts';

const path =
  process.env.SKILLWIRE_REAL_HEADS ??
  fileURLToPath(new URL('../../../shared/cases/real-frontmatter.jsonl', import.meta.url));

interface RealHead {
  readonly repo: string;
  readonly path: string;
  readonly head: string;
}

const heads: readonly RealHead[] = existsSync(path)
  ? readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RealHead)
  : [];

function judge({ path: file, head }: RealHead): SkillJudgement {
  return judgeSkillFile(Buffer.from(head), { path: file, folderName: file.split('/').at(-2) ?? '' });
}

describe.skipIf(heads.length === 0)('538 heads of public skills (SKILLWIRE_REAL_HEADS)', () => {
  it('have these outcomes', () => {
    const outcomes: Record<string, number> = {};
    const codes: Record<string, number> = {};
    for (const head of heads) {
      const { outcome, diagnostics } = judge(head);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      for (const { code } of diagnostics) codes[code] = (codes[code] ?? 0) + 1;
    }
    expect(outcomes).toEqual({ listed: 537, unlisted: 1 });
    expect(codes).toEqual({
      ALLOWED_TOOLS_NOT_STRING: 6,
      DESCRIPTION_TOO_LONG: 1,
      NAME_FOLDER_MISMATCH: 17,
      UNKNOWN_KEY: 19,
    });
  });

  it('parse, or say where and how to fix what is wrong', () => {
    for (const head of heads) {
      for (const { code, message, range, hint } of judge(head).diagnostics) {
        const where = `${head.repo}/${head.path}: ${code}`;
        expect([
          where,
          message.length > 10,
          hint !== undefined && hint.length > 10,
          range !== undefined,
        ]).toEqual([where, true, true, true]);
      }
    }
  });

  it('say the same in CRLF, and broken in the middle they still give a diagnostic', () => {
    for (const head of heads) {
      const { outcome, diagnostics } = judge(head);
      expect(judge({ ...head, head: head.head.replaceAll('\n', '\r\n') })).toMatchObject({
        outcome,
        diagnostics,
      });
      const cut = judge({ ...head, head: head.head.slice(0, head.head.length / 2) });
      expect(cut.outcome).toBe('refused');
      expect(cut.diagnostics[0]).toMatchObject({ code: 'UNTERMINATED_FRONTMATTER', severity: 'error' });
    }
  });

  it('have the JSON that the official reader gives', async () => {
    for (const { path: file, head } of heads) {
      const { name, description, frontmatter } = parseFrontmatter(head);
      if (Array.from(description).length > 1_024) continue;
      const entry = await skillEntry(name, { 'SKILL.md': head });
      expect([file, frontmatter]).toEqual([file, entry.frontmatter]);
    }
  });
});
