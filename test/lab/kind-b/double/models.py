"""What a model directory must hold before the engine is even started."""
import json
import os

from .names import variable

# model_type -> (family, default model id, name of the context variable, most KV slots)
FAMILIES = {
    "glm_moe_dsa": ("glm", "glm-5.2-colibri", "CTX", 16),
    "deepseek_v4": ("deepseek_v4", "deepseek-v4-colibri", "CTX", 1),
    "olmoe": ("olmoe", "olmoe-colibri", "CTX", 1),
    "inkling": ("inkling", "inkling-colibri", "CTX_MAX", 1),
    "kimi_k3": ("kimi", "kimi-k3-colibri", "K3_MAXT", 1),
    "qwen3_6_moe": ("qwen36", "qwen3.6-colibri", "Q36_MAXT", 1),
}


def family_of(model):
    """Ends the program with status 1 where the model cannot be served."""
    if not model:
        raise SystemExit(f"no model directory given.\npass --model <dir>, or set {variable('MODEL')}=<dir>")
    if not os.path.isdir(model):
        raise SystemExit(f"model not found: {model}\nset {variable('MODEL')} or use --model")
    if not os.access(os.path.join(model, "tokenizer.json"), os.R_OK):
        raise SystemExit(f"tokenizer.json is missing from {model}")
    return FAMILIES[model_type(os.path.join(model, "config.json"))]


def model_type(path):
    try:
        text = open(path).read()
    except OSError:
        raise SystemExit(f"unsupported model: cannot read config.json: {path}") from None
    try:
        config = json.loads(text)
    except ValueError as error:
        raise SystemExit(f"unsupported model: invalid config.json: {error}") from None
    name = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(name, str) or not name:
        raise SystemExit(f"unsupported model: {path}: config.json has no non-empty string model_type")
    if name not in FAMILIES:
        raise SystemExit(f"unsupported model: unsupported model_type: {name}")
    return name
