/**
 * Which requests have a lane, and their answers.
 *
 * @module
 */
import { type Channel, channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { Server } from 'node:http';
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';
import type { Drain } from './drain.ts';
import { failureText } from './failure.ts';
import { answeredFast } from './fast.ts';
import type { Guard } from './guard.ts';
import type { LaneRequests } from './lane.ts';
import type { Authenticator } from './token.ts';

/** What {@link laneRequests} judges by. */
export interface LaneRules {
  /** Of everybody, so that who asks does not matter once it may ask. */
  readonly provider: SkillProvider;
  readonly guard: Guard;
  /** One that answers at once, and a token in the same way for ever. */
  readonly principalOf: Authenticator;
  readonly maxRequestBytes: number;
  readonly isClosing: () => boolean;
  readonly drain: Drain;
  readonly logger: Logger;
}

const CHANNELS: readonly Channel[] = [
  'http.server.request.start',
  'http.server.response.created',
  'http.server.response.finish',
].map((name) => channel(name));

/** Whether somebody follows the requests of `node:http` servers, and would miss those that come by a lane. */
function isFollowed(): boolean {
  // Its own, or one of `net.Server`.
  return Server.prototype.emit !== EventEmitter.prototype.emit || CHANNELS.some((one) => one.hasSubscribers);
}

/** What a lane asks: the same checks, in the same order, and the same answers as by way of `node:http`. */
export function laneRequests(rules: LaneRules): LaneRequests {
  const { provider, guard, principalOf, maxRequestBytes, isClosing, drain, logger } = rules;
  return {
    isOpen: () => !isFollowed() && !isClosing(),
    admits({ headers, length }) {
      if (length > maxRequestBytes) return false;
      // No name stands twice in a plain head, which is all that the guard asks of the raw headers.
      const request = { headers, rawHeaders: [] };
      try {
        if (guard.check(request) !== undefined) return false;
        const principal = principalOf(request);
        return principal !== undefined && !(principal instanceof Promise);
      } catch {
        // Node's HTTP asks again, and says what failed.
        return false;
      }
    },
    answer({ headers }, body, send) {
      if (isClosing()) return false;
      try {
        return answeredFast(provider, headers, body, send);
      } catch (error) {
        logger.error('a request failed', { error: failureText(error) });
        return false;
      }
    },
    hold: () => drain.hold(),
  };
}
