import { describe, expect, it } from 'vitest';
import { withSection } from '../../bench/section.ts';

const PAGE = `# Results

<!-- tables: written by npm run bench -->

old

<!-- end of tables -->

Between.

<!-- curves: written by npm run bench -->

curves

<!-- end of curves -->
`;

describe('sections of the page of results', () => {
  it('replaces one and leaves everything else', () => {
    expect(withSection(PAGE, 'tables', '\nnew\n\n| a |\n')).toBe(PAGE.replace('old', 'new\n\n| a |'));
    expect(withSection(PAGE, 'curves', 'new')).toBe(PAGE.replace('curves\n\n<!-- end', 'new\n\n<!-- end'));
  });

  it('writes the same twice', () => {
    const once = withSection(PAGE, 'tables', 'new');
    expect(withSection(once, 'tables', 'new')).toBe(once);
  });

  it('keeps dollar signs', () => {
    expect(withSection(PAGE, 'tables', '$& $1')).toContain('\n$& $1\n');
  });

  it('adds one that is missing, also to nothing', () => {
    const expected = '<!-- x: written by npm run bench -->\n\nbody\n\n<!-- end of x -->\n';
    expect(withSection('# Page\n', 'x', 'body')).toBe(`# Page\n\n${expected}`);
    expect(withSection('', 'x', 'body')).toBe(expected);
  });
});
