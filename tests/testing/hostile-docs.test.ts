import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hostileServers } from '../../src/testing/index.ts';

describe('docs/guides/test-your-host.md', () => {
  const rows = readFileSync('docs/guides/test-your-host.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| `[\w-]+` \| .* \| .* \| `[A-Z_]+` \|$/.test(line));

  it('has a row for each server, and for no other', () => {
    expect(rows).toEqual(
      hostileServers.map(
        ({ name, lies, at, onlyHttp, expect: code }) =>
          `| \`${name}\` | ${lies} | ${at}${onlyHttp ? ', HTTP only' : ''} | \`${code}\` |`,
      ),
    );
  });
});
