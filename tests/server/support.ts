import type { Logger } from '../../src/logger.ts';

/** One call of a logger. */
export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** A logger and what it was told. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push({ level, message, fields });
    };
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

/** The text of a `SKILL.md`. */
export function skillText(name: string, fields = '', body = 'Body.\n'): string {
  return `---\nname: ${name}\ndescription: About ${name}\n${fields}---\n\n${body}`;
}
