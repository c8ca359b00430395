"""The tests: each module has `run(context)`, which raises when something is not as it must be."""

#: What runs unless something else is asked for, in this order.
USUAL = [
    "instruments", "page_modules", "page_layout", "page_wall", "page_incoming", "page_positions", "page_actions", "page_preview",
    "page_preview_several", "page_logins", "page_worker", "page_push", "page_event_push",
    "page_calls",
    "page_administration",
    "page_guest",
    "page_weight", "page_speed", "page_accessibility",
    "chromium_pair", "chromium_call",
    "chromium_callee", "chromium_rejected", "chromium_watch", "chromium_two_tabs", "chromium_call_waiting",
    "chromium_transports", "firefox_call", "hub_frozen", "proxies", "relay_udp", "relay_tls", "relay_absent",
    "stun_server", "hub_full_disk", "damaged_state", "package_purge", "token_verification", "api_description", "doctor", "local_http",
    "mqtt", "whep", "fleet_inventory", "gpsd_reports", "machine_stalls",
    "camera_events", "camera_dark", "page_events", "camera_pictures", "page_recordings", "time_lapse",
    "several_cameras", "camera_choice", "exec_sources",
    "whip", "whip_faults", "aiortc_call", "three_talkers", "dialled_actions", "odd_offers",
    "archive_playback", "archive_fetch", "archive_upload", "odd_stores", "kill_recording",
    "upgrade_in_call", "clock_synchronised",
]
#: What takes long, or half of the machine.
LONG = [
    "exec_faults", "mqtt_faults", "outbound_proxy",
    "bad_line", "peer_moves", "network_gone", "relay_moves", "relay_tcp", "bad_network_loss", "bad_network_blocks", "bad_network_peers",
    "bad_network_rate", "bad_network_remb",
    "bad_network_viewers", "peer_killed", "garbage", "clock_steps", "login_renewal", "many_calls", "many_viewers",
    "vanishing_callers", "upload_interrupted", "power_cuts", "room_call", "sound_card_gone", "lazy_speaker",
    "gstreamer_offers", "gstreamer_dials", "gstreamer_sync",
    "door_station", "whep_cost",
]
ALL = [*USUAL, *LONG]
