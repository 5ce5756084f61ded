import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { holdHangUp, untilStopped } from '../../src/cli/signals.ts';
import { silentLogger } from '../../src/logger.ts';

describe.skipIf(process.platform === 'win32')('a SIGHUP while a server loads', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])('is kept until there is something to scan again: sent %s', async (sent, rescans) => {
    const hangUp = holdHangUp();
    if (sent) {
      const arrived = once(process, 'SIGHUP');
      process.kill(process.pid, 'SIGHUP');
      await arrived;
    }
    let scanned = 0;
    await untilStopped({
      closed: Promise.resolve(),
      close: async () => {},
      rescan: async () => {
        scanned += 1;
      },
      hangUp,
      logger: silentLogger,
    });
    expect(scanned).toBe(rescans);
    expect(process.listenerCount('SIGHUP')).toBe(0);
  });
});
