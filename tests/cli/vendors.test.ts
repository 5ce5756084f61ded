import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { INITIALIZE, lines, parseMessages } from './mcp.ts';
import { folderWith, run, skillText, stopAll } from './program.ts';

const folders: ReturnType<typeof folderWith>[] = [];
afterEach(() => {
  for (const made of folders.splice(0)) made.remove();
});
afterAll(stopAll);

/** A home folder in which Claude has a skill. */
function home(more: Readonly<Record<string, string>> = {}): {
  readonly env: Record<string, string>;
  readonly cwd: string;
} {
  const made = folderWith({
    '.claude/skills/pdf/SKILL.md': skillText('pdf'),
    '.claude/skills/pdf/forms.md': '# Forms\n',
    ...more,
  });
  folders.push(made);
  return { cwd: made.path, env: { HOME: made.path, USERPROFILE: made.path } };
}

async function asked(args: readonly string[], method: string): Promise<Record<string, unknown>> {
  const stdin = lines(
    INITIALIZE,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method, params: {} },
  );
  const { stdout, stderr } = await run(['serve', ...args], { ...home(), stdin });
  const answer = parseMessages(stdout).find(({ id }) => id === 2);
  if (answer?.result === undefined) throw new Error(stderr);
  return answer.result as Record<string, unknown>;
}

describe('vendor:NAME', () => {
  it('is served', async () => {
    expect(await asked(['vendor:claude'], 'resources/list')).toMatchObject({
      resources: [
        { uri: 'skill://index.json' },
        { uri: 'skill://pdf/SKILL.md' },
        { uri: 'skill://pdf/_manifest' },
      ],
    });
  });

  it('is served below a prefix', async () => {
    expect(await asked(['mine=vendor:claude'], 'skills/list')).toMatchObject({
      skills: [{ uri: 'skill://mine/pdf/SKILL.md' }],
    });
  });

  it('is checked, and repaired where its files stand', async () => {
    const options = home({
      '.claude/skills/bad/SKILL.md': '---\nname: bad\ndescription: Use when: asked\n---\n',
    });
    const broken = await run(['check', 'vendor:claude', '--fix'], options);
    expect(broken.stdout).toContain('vendor:claude/bad/SKILL.md');
    expect(await run(['check', 'vendor:claude'], options)).toMatchObject({ code: 0 });
  });

  it('is shown and packed', async () => {
    const options = home();
    expect((await run(['show', 'vendor:claude', 'pdf', 'forms.md'], options)).stdout).toBe('# Forms\n');
    expect(await run(['pack', 'vendor:claude', '--to', 'out'], options)).toMatchObject({ code: 0 });
  });

  it('ends with 3 where there is none, and names the places', async () => {
    const options = home();
    rmSync(join(options.cwd, '.claude'), { recursive: true });
    const { code, stderr } = await run(['check', 'vendor:claude'], options);
    expect([code, stderr]).toEqual([
      3,
      'skillwire: error[SOURCE_NOT_FOUND]: vendor:claude has no skills here: there is no ~/.claude/skills\n  hint: name the folder that holds the skills instead\n',
    ]);
  });

  it('ends with 2 for a vendor that is not known, and says who was probably meant', async () => {
    const { code, stderr } = await run(['serve', 'vendor:opencod'], home());
    expect(code).toBe(2);
    expect(stderr).toContain(
      'there is no vendor "opencod"; did you mean vendor:opencode; there are claude, ',
    );
  });

  it('is named as it is in the configuration of a client', async () => {
    const { stdout } = await run(['serve', 'vendor:claude', '--print-config', 'cursor'], home());
    expect(stdout).toContain('"vendor:claude"');
  });
});

describe('--supporting-files', () => {
  it('lists every file instead of a template for each skill', async () => {
    const args = ['vendor:claude', '--dialects', 'fastmcp', '--supporting-files', 'resources'];
    expect(await asked(args, 'resources/list')).toMatchObject({
      resources: [
        { uri: 'skill://pdf/SKILL.md' },
        { uri: 'skill://pdf/_manifest' },
        { uri: 'skill://pdf/forms.md' },
      ],
    });
    expect(await asked(args, 'resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'skill://{+path}' }],
    });
  });

  it('takes nothing else, and wants skills', async () => {
    expect((await run(['serve', 'vendor:claude', '--supporting-files', 'both'], home())).code).toBe(2);
    const { code, stderr } = await run(['serve', '--docs', '.', '--supporting-files', 'template'], home());
    expect(code).toBe(2);
    expect(stderr).toContain('--supporting-files is about skills');
  });
});
