/** The client of the table of commands. */
export const COMMANDS = 'skillwire list, verify, pull';

/** The servers that FastMCP's provider makes. */
export const FASTMCP_SERVERS: readonly string[] = ['FastMCP, template', 'FastMCP, resources'];
