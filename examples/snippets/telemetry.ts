// #region imports
import { subscribe } from 'node:diagnostics_channel';
import type { Client } from '@modelcontextprotocol/client';
import * as api from '@opentelemetry/api';
import { createProvider, directorySource, type SkillProvider } from 'skillwire';
import { SkillsClient } from 'skillwire/client';
import { CHANNELS, createTelemetry, type OperationMessage } from 'skillwire/telemetry';
// #endregion imports

/** A client whose operations are spans. */
export function traced(mcpClient: Client): SkillsClient {
  // #region client
  const skills = new SkillsClient(mcpClient, { openTelemetry: api });
  // #endregion client
  return skills;
}

/** A provider whose requests are spans. */
export async function tracedProvider(): Promise<SkillProvider> {
  // #region server
  const provider = await createProvider({
    source: directorySource('./skills'),
    telemetry: createTelemetry({ openTelemetry: api }),
  });
  // #endregion server
  return provider;
}

/** Names every failed read. */
export function watchReads(): void {
  // #region channel
  subscribe(CHANNELS['skills.read'], (message) => {
    const { attributes, durationMs, error } = message as OperationMessage;
    if (error !== undefined) console.error(attributes['mcp.skill.uri'], error, Math.round(durationMs), 'ms');
  });
  // #endregion channel
}

/** Counts what the model is given. */
export function activated(mcpClient: Client, count: (uri: string) => void): void {
  // #region activate
  const skills = new SkillsClient(mcpClient, { onActivate: ({ uri }) => count(uri) });
  skills.activate('skill://pdf/SKILL.md', { reason: 'user_requested' });
  // #endregion activate
}
