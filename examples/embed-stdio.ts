/** An MCP server over stdio whose skills live in the program itself. */
// #region serve
import { createProvider, memorySource, serveStdio } from 'skillwire';

const skill = `---
name: release-day
description: Says what to do on the day of a release. Use when somebody asks how to ship.
---

1. Read the change log.
2. Tag, then wait for the build.
`;

const provider = await createProvider({ source: memorySource({ 'release-day/SKILL.md': skill }) });
await serveStdio(provider).closed;
await provider.close();
// #endregion serve
