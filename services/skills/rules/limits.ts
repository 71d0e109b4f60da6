const KIB = 1024;
const MIB = 1024 * KIB;

/** What a skill may have. Sizes in bytes unless they say otherwise. */
export const MAX_FILES = 200;
export const MAX_FILE_BYTES = MIB;
export const MAX_TOTAL_BYTES = 4 * MIB;
/** Characters; as many go to a step in one message. */
export const MAX_INSTRUCTIONS_BYTES = 128 * KIB;
/** Characters of the front matter as YAML, and of its members. */
export const MAX_FRONT_MATTER_BYTES = 16 * KIB;
export const MAX_NAME_CHARS = 64;
export const MAX_DESCRIPTION_CHARS = 1_024;
export const MAX_LICENSE_CHARS = 500;
export const MAX_METADATA_KEYS = 50;
export const MAX_METADATA_KEY_CHARS = 100;
export const MAX_METADATA_VALUE_CHARS = 1_000;
export const MAX_TOOLS = 100;
export const MAX_TOOL_CHARS = 200;

/** What a bundle may have: the archive itself, and its entries, folders and what is left out counted too. */
export const MAX_BUNDLE_BYTES = 5 * MIB;
export const MAX_ENTRIES = 2_000;
