/**
 * The diagnostics channels: one message for each finished operation, made only when somebody listens.
 *
 * @module
 */
import { type Channel, channel } from 'node:diagnostics_channel';
import { failureOf } from './failure.ts';
import {
  attributeValue,
  boundedAttributes,
  type OperationName,
  type OperationSpan,
  type OperationStart,
  SILENT_SPAN,
} from './operation.ts';
import { settle } from './settle.ts';

/** What a channel carries. Nothing in it comes out of a file of a skill but the skill's name. */
export interface OperationMessage {
  /** The name of the span, such as `skills.read`; on the server the method. */
  readonly operation: string;
  /** As on the span, each a text. */
  readonly attributes: Readonly<Record<string, string>>;
  /** When it began, in ms since 1970. */
  readonly startTime: number;
  readonly durationMs: number;
  /** How it failed: a code of `ERROR_TABLE`, the number of a protocol error, or the name of an error's class. */
  readonly error?: string;
}

/** Time since 1970 in ms, with parts of them, on the clock that never goes back. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** The channel of each operation; `node:diagnostics_channel` finds it by this name. */
export const CHANNELS: Readonly<Record<OperationName | 'server.request', string>> = {
  'skills.list': 'skillwire:client.list',
  'skills.get': 'skillwire:client.get',
  'skills.read': 'skillwire:client.read',
  'skills.read_manifest': 'skillwire:client.read_manifest',
  'skills.read_and_verify': 'skillwire:client.read_and_verify',
  'skills.read_directory': 'skillwire:client.read_directory',
  'skills.activate': 'skillwire:client.activate',
  'server.request': 'skillwire:server.request',
};

// Held here, since a channel that nobody holds may be collected with its subscribers.
const open = new Map<string, Channel>(Object.entries(CHANNELS).map(([key, name]) => [key, channel(name)]));

/**
 * The channel of an operation.
 *
 * @example
 * channelOf('skills.read').hasSubscribers
 */
export function channelOf(operation: OperationName | 'server.request'): Channel {
  return open.get(operation) ?? channel(CHANNELS[operation]);
}

/**
 * What `run` gives; once it has ended, the channel is told.
 *
 * @example
 * if (channel.hasSubscribers) return published(channel, { name: 'skills.read', attributes }, run)
 */
export function published<T>(channel: Channel, start: OperationStart, run: (span: OperationSpan) => T): T {
  const attributes = boundedAttributes(start.attributes);
  const startTime = start.startTime ?? now();
  const end = (error?: string): void => {
    const durationMs = now() - startTime;
    const message: OperationMessage = {
      operation: start.name,
      attributes,
      startTime,
      durationMs,
      ...(error !== undefined && { error }),
    };
    channel.publish(message);
  };
  const span: OperationSpan = {
    ...SILENT_SPAN,
    set: (name, value) => {
      attributes[name] = attributeValue(value);
    },
  };
  return settle(
    () => run(span),
    () => end(),
    (error) => {
      const { type, rpcCode } = failureOf(error);
      if (start.served !== undefined && rpcCode !== undefined) attributes['mcp.error.code'] = String(rpcCode);
      end(type);
    },
  );
}
