import { describe, expect, it } from 'vitest';
import { createDrain } from '../../src/http/drain.ts';
import { createGuard } from '../../src/http/guard.ts';
import { type LaneRules, laneRequests } from '../../src/http/lane-requests.ts';
import { createAuthenticator } from '../../src/http/token.ts';
import { silentLogger } from '../../src/logger.ts';
import { fakeProvider } from './fake-provider.ts';

const HEADERS = { host: 'localhost', authorization: 'Bearer secret' };

function rules(given: Partial<LaneRules> = {}): LaneRules {
  return {
    provider: fakeProvider(),
    guard: createGuard({ boundHost: '127.0.0.1', allowedHosts: [], hasToken: true }),
    principalOf: createAuthenticator('secret'),
    maxRequestBytes: 100,
    isClosing: () => false,
    drain: createDrain(),
    logger: silentLogger,
    ...given,
  };
}

const fail = (): never => {
  throw new Error('of a check');
};

describe('what a lane may answer', () => {
  it.each<[string, Partial<LaneRules>, Record<string, string>, number, boolean]>([
    ['what guard and token let pass', {}, HEADERS, 100, true],
    ['a body over the cap', {}, HEADERS, 101, false],
    ['another host', {}, { ...HEADERS, host: 'evil.example' }, 1, false],
    ['a page of another site', {}, { ...HEADERS, origin: 'https://evil.example' }, 1, false],
    ['no token', {}, { host: 'localhost' }, 1, false],
    ['a wrong token', {}, { ...HEADERS, authorization: 'Bearer secres' }, 1, false],
    ['a token that is asked for', { principalOf: async () => ({ id: 'x' }) }, HEADERS, 1, false],
    // An error in the handler of a socket would end the process.
    ['what a guard fails on', { guard: { check: fail } }, HEADERS, 1, false],
    ['what a token check fails on', { principalOf: fail }, HEADERS, 1, false],
  ])('is %s: %#', (_what, given, headers, length, expected) => {
    expect(laneRequests(rules(given)).admits({ headers, length, inGzip: false })).toBe(expected);
  });

  it('is nothing once the server shuts down, and nothing of a provider without prepared answers', () => {
    let isClosing = false;
    const requests = laneRequests(rules({ isClosing: () => isClosing }));
    expect(requests.isOpen()).toBe(true);
    expect(requests.answer({ headers: HEADERS, length: 1, inGzip: false }, {}, fail)).toBe(false);
    isClosing = true;
    expect(requests.isOpen()).toBe(false);
    expect(requests.answer({ headers: HEADERS, length: 1, inGzip: false }, {}, fail)).toBe(false);
  });
});
