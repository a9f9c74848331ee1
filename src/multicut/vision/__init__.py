"""Images and volumes: what segmentations are worth."""
