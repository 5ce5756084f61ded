/** Arguments of tools as models write them. */
import { describe, expect, it } from 'vitest';
import { toolArguments } from '../../src/server/surfaces/tool-arguments.ts';
import { SKILL_TOOLS, skillTool } from '../../src/server/surfaces/tools.ts';

const load = SKILL_TOOLS[1];
if (load === undefined) throw new Error('no tool');

describe('toolArguments', () => {
  it.each([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ name: 'pdf', uri: null }, { name: 'pdf' }],
    [{ name: '', uri: 'skill://pdf' }, { uri: 'skill://pdf' }],
    [{ name: undefined }, {}],
  ])('%j is %j', (given, expected) => expect(toolArguments(load, given)).toEqual(expected));

  it.each([
    [[], 'arguments of load_skill must be an object'],
    ['pdf', 'arguments of load_skill must be an object'],
    [7, 'arguments of load_skill must be an object'],
    [{ name: {} }, 'name of load_skill must be a string; it is an object'],
    [{ name: false }, 'name of load_skill must be a string; it is a boolean'],
    [JSON.parse('{"__proto__":"x"}'), 'load_skill has no argument "__proto__"; it takes name and uri'],
    [{ constructor: 'x' }, 'load_skill has no argument "constructor"; it takes name and uri'],
    [{ 'a\nb': 'x' }, 'load_skill has no argument "a\\u000ab"; it takes name and uri'],
  ])('%j is refused', (given, message) => {
    expect(() => toolArguments(load, given)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message }),
    );
  });
});

describe('skillTool', () => {
  it.each([['list_skills'], ['load_skill'], ['read_skill_file'], ['read_resource']])('knows %s', (name) => {
    expect(skillTool(name)?.name).toBe(name);
  });
  it.each([['toString'], [''], [7], [undefined], ['LOAD_SKILL']])('and not %j', (name) => {
    expect(skillTool(name)).toBeUndefined();
  });
});
