/**
 * A reason to refuse a frontmatter, in offsets; it becomes a `SkillError` or a diagnostic.
 *
 * @module
 */
import { isSkillError, SkillError, type SkillErrorCode } from '../errors.ts';
import type { Diagnostic, Fix, Range } from './diagnostic.ts';
import type { Positions } from './positions.ts';

/** A replacement in offsets. */
export interface OffsetFix {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly title: string;
}

/** Why a frontmatter is refused; `start` and `end` are offsets into the text it was found in. */
export interface Fault {
  readonly code: SkillErrorCode;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
  readonly fix?: OffsetFix;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A {@link Fault} on its way out of nested readers; never leaves this room. */
export class FaultSignal extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Moves every offset of a fault by `by`. */
export function shiftFault(fault: Fault, by: number): Fault {
  const fix = fault.fix && { ...fault.fix, start: fault.fix.start + by, end: fault.fix.end + by };
  return { ...fault, start: fault.start + by, end: fault.end + by, ...(fix && { fix }) };
}

/** A fix in lines and columns. */
export function placeFix(fix: OffsetFix, positions: Positions): Fix {
  return { range: positions.range(fix.start, fix.end), text: fix.text, title: fix.title };
}

/**
 * The `SkillError` for a fault: its message ends with the place, `details` holds `reason` (the message without the
 * place), `line`, `column`, `range`, and `hint` and `fix` where there are some.
 */
export function faultError(fault: Fault, positions: Positions): SkillError {
  const range = positions.range(fault.start, fault.end);
  const { line, column } = range.start;
  return new SkillError(fault.code, `${fault.message} (line ${line}, column ${column})`, {
    details: {
      ...fault.details,
      reason: fault.message,
      line,
      column,
      range,
      ...(fault.hint !== undefined && { hint: fault.hint }),
      ...(fault.fix !== undefined && { fix: placeFix(fault.fix, positions) }),
    },
  });
}

/** The error itself, or an `INTERNAL` one around an error that no reader of this room throws on purpose. */
export function asSkillError(error: unknown): SkillError {
  if (isSkillError(error)) return error;
  const hint = 'write the frontmatter in simpler YAML, and report this';
  return new SkillError('INTERNAL', 'the frontmatter could not be read', { cause: error, details: { hint } });
}

/** The diagnostic for an error that {@link faultError} made. */
export function errorDiagnostic(error: SkillError, path: string): Diagnostic {
  const { reason, range, hint, fix } = error.details as {
    reason?: string;
    range?: Range;
    hint?: string;
    fix?: Fix;
  };
  return {
    code: error.code,
    severity: 'error',
    message: reason ?? error.message,
    path,
    ...(range !== undefined && { range }),
    ...(hint !== undefined && { hint }),
    ...(fix !== undefined && { fix }),
  };
}
