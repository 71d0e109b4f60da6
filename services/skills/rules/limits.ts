const KIB = 1024;
const MIB = 1024 * KIB;

/** What a skill may have. Sizes in bytes unless they say otherwise. */
export const MOST_FILES = 200;
export const MOST_FILE_BYTES = MIB;
export const MOST_TOTAL_BYTES = 4 * MIB;
/** Characters; as many go to a step in one message. */
export const MOST_INSTRUCTIONS = 128 * KIB;
/** Characters of the front matter as YAML, and of its members. */
export const MOST_FRONT_MATTER = 16 * KIB;
export const LONGEST_NAME = 64;
export const LONGEST_DESCRIPTION = 1_024;
export const LONGEST_LICENSE = 500;
export const MOST_METADATA = 50;
export const LONGEST_METADATA_KEY = 100;
export const LONGEST_METADATA_VALUE = 1_000;
export const MOST_TOOLS = 100;
export const LONGEST_TOOL = 200;

/** What a bundle may have: the archive itself, and its entries, folders and what is left out counted too. */
export const MOST_BUNDLE_BYTES = 5 * MIB;
export const MOST_ENTRIES = 2_000;
