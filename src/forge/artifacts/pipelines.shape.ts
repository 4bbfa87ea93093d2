import * as v from 'valibot'

/** Replies to the public artifact actions, v3. */

export const CreatedFileArtifact = v.object({ fileContainerResourceUrl: v.string() })
export const Received = v.object({ message: v.string() })

const FileArtifact = v.object({ name: v.string(), fileContainerResourceUrl: v.string() })
export const FileArtifacts = v.object({ count: v.number(), value: v.array(FileArtifact) })

const ArtifactFile = v.object({ path: v.string(), itemType: v.string(), contentLocation: v.string() })
export const ArtifactFiles = v.object({ value: v.array(ArtifactFile) })
