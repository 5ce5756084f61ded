import * as official from '@modelcontextprotocol/core/ext/skills';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/limits.ts';
import * as wire from '../../src/wire/index.ts';

describe('names that peers see', () => {
  test.each([
    ['ARCHIVE_TAR_BZ2', '.tar.bz2'],
    ['ARCHIVE_TAR_GZ', '.tar.gz'],
    ['ARCHIVE_ZIP', '.zip'],
    ['ARCHIVE_FORMAT_UNKNOWN', 'unknown'],
    ['ARCHIVE_FORMAT_TAR_GZ', 'tar.gz'],
    ['ARCHIVE_FORMAT_ZIP', 'zip'],
    ['ARCHIVE_FORMAT_TAR_BZ2', 'tar.bz2'],
    ['CAPABILITY_DIRECTORY_READ', 'directoryRead'],
    ['CHANGE_ACTION_MODIFIED', 'modified'],
    ['CHANGE_ACTION_CREATED', 'created'],
    ['CHANGE_ACTION_DELETED', 'deleted'],
    ['DEFAULT_ARCHIVE_MAX_BYTES', 104857600],
    ['DEFAULT_MAX_RESOURCE_BYTES', 10485760],
    ['EXPERIMENTAL_NOTICE', 'ext/skills tracks Draft SEP-2640; the surface may change on pre-1.0 tags.'],
    ['EXTENSION_ID', 'io.modelcontextprotocol/skills'],
    ['FILE_LIST_NAME', '_manifest'],
    ['INDEX_PATH', 'index.json'],
    ['INDEX_SCHEMA_URI', 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'],
    ['INDEX_URI', 'skill://index.json'],
    ['MANIFEST_FILENAME', 'SKILL.md'],
    ['META_KEY_FILE_DIGESTS', 'io.modelcontextprotocol.skills/file-digests'],
    ['META_KEY_PATHS_CHANGED', 'io.modelcontextprotocol.skills/paths-changed'],
    ['META_KEY_REVISION', 'dev.skillwire/revision'],
    ['META_KEY_VERSION', 'io.modelcontextprotocol.skills/version'],
    ['META_PREFIX', 'io.modelcontextprotocol.skills/'],
    ['METHOD_RESOURCES_DIRECTORY_READ', 'resources/directory/read'],
    ['METHOD_SKILLS_GET', 'skills/get'],
    ['METHOD_SKILLS_LIST', 'skills/list'],
    ['MIME_TYPE_DIRECTORY', 'inode/directory'],
    ['READ_RESOURCE_TOOL_DESCRIPTION', 'Read an MCP resource from a connected server.'],
    ['READ_RESOURCE_TOOL_NAME', 'read_resource'],
    ['SCHEME', 'skill'],
    ['SKILL_TYPE_ARCHIVE', 'archive'],
    ['SKILL_TYPE_SKILL_MD', 'skill-md'],
    ['SPEC_VERSION', '2026-04-23'],
    ['SUPPORTING_DIGESTS_PER_FILE', 'per-file'],
    ['SUPPORTING_DIGESTS_OFF', 'off'],
  ])('%s is %j', (name, value) => {
    expect((wire as Record<string, unknown>)[name]).toBe(value);
  });

  test('INDEX_RESOURCE_DEF', () => {
    expect(wire.INDEX_RESOURCE_DEF).toEqual({
      uri: 'skill://index.json',
      name: 'Skill discovery index',
      description: 'JSON catalog of skills served by this server per SEP-2640.',
      mimeType: 'application/json',
    });
  });

  test('READ_RESOURCE_TOOL_INPUT_SCHEMA', () => {
    expect(wire.READ_RESOURCE_TOOL_INPUT_SCHEMA).toEqual({
      type: 'object',
      properties: {
        server: { type: 'string', description: 'Name of the connected MCP server' },
        uri: { type: 'string', description: 'The resource URI' },
      },
      required: ['server', 'uri'],
    });
  });
});

test('are those of the official SDK', () => {
  expect(wire.EXTENSION_ID).toBe(official.SKILLS_EXTENSION_ID);
  expect(wire.METHOD_SKILLS_LIST).toBe(official.SKILLS_LIST_METHOD);
  expect(wire.METHOD_SKILLS_GET).toBe(official.SKILLS_GET_METHOD);
  expect(wire.METHOD_RESOURCES_DIRECTORY_READ).toBe(official.RESOURCES_DIRECTORY_READ_METHOD);
  expect(wire.MIME_TYPE_DIRECTORY).toBe(official.DIRECTORY_MIME_TYPE);
  expect(LIMITS.skillFilesWarning).toBe(official.SKILL_LIMITS.files);
  expect(LIMITS.skillBytesWarning).toBe(official.SKILL_LIMITS.bytes);
  expect(official.SkillsCapabilitySchema.parse({ [wire.CAPABILITY_DIRECTORY_READ]: true })).toEqual({
    directoryRead: true,
  });
});
