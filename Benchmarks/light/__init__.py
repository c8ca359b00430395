"""Camera-like clips, and what recording them costs and yields beside other encoders."""
