"""Attacks on hub and device, with bystanders who may notice nothing."""
